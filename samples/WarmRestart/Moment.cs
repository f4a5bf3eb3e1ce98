namespace WarmRestart;

/// <summary>A point of a curve of availability.</summary>
/// <param name="Ms">Since the process began.</param>
/// <param name="Part">What can be read, from 0 to 1.</param>
internal readonly record struct Moment(double Ms, double Part);
