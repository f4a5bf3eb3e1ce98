using System;
using System.Collections.Generic;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Types as they were and as they are.</summary>
internal static partial class VersionTypes
{
    [PileObject]
    internal sealed partial class CustomerThen
    {
        public object? Removed { get; set; }

        public string? Name { get; set; }

        public int Rank { get; set; }

        public DateTime Born { get; set; }

        public string? Alias { get; set; }

        public CustomerThen? Friend { get; set; }
    }

    [PileObject]
    internal partial class Ranked
    {
        public int Rank { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+CustomerThen")]
    [PileObject]
    internal sealed partial class CustomerNow : Ranked
    {
        public CustomerNow? Friend { get; set; }

        public List<int>? AddedList { get; set; }

        public DateTime Born { get; set; }

        [PileName("Alias")]
        public string? NewAlias { get; set; }

        public int Added { get; set; }

        public string? Name { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+WideNow")]
    [PileObject]
    internal sealed partial class NarrowThen
    {
        public int Value { get; set; }

        public int? Optional { get; set; }

        public byte Flags { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+NarrowThen")]
    [PileObject]
    internal sealed partial class WideNow
    {
        public long Value { get; set; }

        public long? Optional { get; set; }

        public int Flags { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+PartNow")]
    [PileObject]
    internal partial class PartThen
    {
        public int X { get; set; }
    }

    [PileObject]
    internal sealed partial class PartBelow : PartThen
    {
        public int Y { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+PartThen")]
    [PileObject]
    internal sealed partial class PartNow
    {
        public int X { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+HolderNow")]
    [PileObject]
    internal sealed partial class HolderThen
    {
        public PartThen? Part { get; set; }

        public PartThen? Same { get; set; }

        public PartThen[]? Parts { get; set; }

        public List<PartThen>? List { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+HolderThen")]
    [PileObject]
    internal sealed partial class HolderNow
    {
        public PartNow? Part { get; set; }

        public PartNow? Same { get; set; }

        public PartNow[]? Parts { get; set; }

        public List<PartNow>? List { get; set; }
    }

    [PileObject]
    internal sealed partial class RemovedThen
    {
        public object? Gone { get; set; }

        public object? Kept { get; set; }

        public string? Text { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+RemovedThen")]
    [PileObject]
    internal sealed partial class RemovedNow
    {
        public object? Kept { get; set; }

        public string? Text { get; set; }
    }

    [PileObject]
    internal sealed partial class Removed
    {
        public int X { get; set; }

        public string? Text { get; set; }
    }

    internal enum EnumThen
    {
        None,
        One,
        Gone,
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+EnumThen")]
    internal enum EnumNow
    {
        None,
        One,
    }

    [PileObject]
    internal sealed partial class EnumHolderThen
    {
        public EnumThen Value { get; set; }

        public EnumThen? Optional { get; set; }

        public object? Any { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+EnumHolderThen")]
    [PileObject]
    internal sealed partial class EnumHolderNow
    {
        public EnumNow Value { get; set; }

        public EnumNow? Optional { get; set; }

        public object? Any { get; set; }
    }

    [PileObject]
    internal sealed partial class Collision
    {
        public int Fclevy { get; set; }

        public int Fdlmtd { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+Collision")]
    [PileObject]
    internal sealed partial class CollisionNow
    {
        public int Fdlmtd { get; set; }

        public int Fclevy { get; set; }
    }

    [PileObject]
    internal sealed partial class PlainOther
    {
        public int Number { get; set; }
    }
}
