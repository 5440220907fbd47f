"""Synthetic notes: hand-written skeletons filled from a made-up world, with exact gold spans in the scheme i2b2-2014."""
