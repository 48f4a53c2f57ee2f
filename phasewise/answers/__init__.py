"""The page of each command's answer, made of the blocks of `phasewise.report.answer`."""
