"""What is known of a patient, found again in all of that patient's notes."""
