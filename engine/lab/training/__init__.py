"""Make nets: self-play, fitting, gating. Needs PyTorch, which playing never does.

`python -m engine.lab.training VARIANT --generations N --minutes M`
"""
