"""Small trainings on which learning rates are looked for."""
