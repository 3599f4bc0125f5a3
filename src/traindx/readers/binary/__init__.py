"""Binary formats without their libraries: framing, checksums, messages, databases."""
