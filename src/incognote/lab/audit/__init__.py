"""Audits of scrubbed notes: what de-identification cost the research, and whether a note can still be linked to its patient."""
