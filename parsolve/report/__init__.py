"""Figures as tables and plots, and the machine that they were measured on."""
