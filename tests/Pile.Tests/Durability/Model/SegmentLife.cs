namespace Pile.Tests.Durability.Model;

/// <summary>The life of a segment, in the process and in its directory row.</summary>
internal enum SegmentLife
{
    Free,
    Open,
    Sealed,
    Retired,
}
