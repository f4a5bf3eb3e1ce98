namespace Pile.Tests.Durability.Cuts;

/// <summary>What an object was at one moment; default: not there.</summary>
/// <param name="Version">Says which content; no two of an object are equal.</param>
/// <param name="Lane">How it is stored.</param>
/// <param name="Bytes">How long it is.</param>
internal readonly record struct CutState(int Version, CutLane Lane, int Bytes);
