"""The lab: training, studies, shrinking, synthetic notes and the build of the default model. The product never imports it."""
