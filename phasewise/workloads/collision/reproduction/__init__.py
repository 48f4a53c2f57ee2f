"""The source paper's tables, figures and claims, regenerated on simulated machines.

Source: Shan, Strohmaier, Qiang, Bailey, Yelick, "Performance Modeling and Optimization of a High
Energy Colliding Beam Simulation Code", SC 2006.
"""
