namespace Pile.Tests.Durability.Model;

/// <summary>Where a record stands: a segment and a place in it.</summary>
internal readonly record struct Spot(int Segment, int Place)
{
    internal static Spot Unpack(int bits) => new(bits & 7, bits >> 3);

    internal int Pack() => Segment | (Place << 3);

    public override string ToString() => $"S{Segment}[{Place}]";
}
