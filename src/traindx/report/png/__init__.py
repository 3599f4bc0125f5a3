"""What the PNG pictures are made of: a canvas, curves that keep every spike, evidence."""
