namespace Pile.Tests.Model;

/// <summary>What the plain dictionary knows of one object.</summary>
internal sealed class ModelObject
{
    internal required long Key { get; init; }

    internal required PilePointer Pointer { get; init; }

    /// <summary>Place in the list that random choices are made from.</summary>
    internal int Place { get; set; }

    internal int Version { get; set; }

    internal int Bytes { get; set; }

    /// <summary>Value of a counter object, whose content is that value alone.</summary>
    internal long? Counter { get; set; }

    internal bool IsLarge => Bytes >= 16 << 10;
}
