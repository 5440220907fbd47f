"""Running a Deidentifier over whole corpora: two resumable passes on an executor, with a report."""

from incognote.batch.job import Job, fingerprint
from incognote.batch.report import render_report
from incognote.batch.scrub import scrub_corpus
from incognote.batch.summary import Summary
from incognote.find.model.machine import count_cores

__all__ = ["Job", "Summary", "count_cores", "fingerprint", "render_report", "scrub_corpus"]
