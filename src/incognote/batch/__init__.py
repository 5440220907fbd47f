"""Running a Deidentifier over whole corpora: on this machine, in chunks that survive a kill, with a report."""

from incognote.batch.job import Job, fingerprint
from incognote.batch.local import scrub_corpus
from incognote.batch.report import render_report
from incognote.batch.summary import Summary
from incognote.find.model.machine import count_cores

__all__ = ["Job", "Summary", "count_cores", "fingerprint", "render_report", "scrub_corpus"]
