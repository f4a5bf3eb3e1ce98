using System;
using System.Collections.Generic;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Types as they were and as they are.</summary>
internal static class VersionTypes
{
    internal sealed class CustomerThen
    {
        public object? Removed { get; set; }

        public string? Name { get; set; }

        public int Rank { get; set; }

        public DateTime Born { get; set; }

        public string? Alias { get; set; }

        public CustomerThen? Friend { get; set; }
    }

    internal class Ranked
    {
        public int Rank { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+CustomerThen")]
    internal sealed class CustomerNow : Ranked
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
    internal sealed class NarrowThen
    {
        public int Value { get; set; }

        public int? Optional { get; set; }

        public byte Flags { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+NarrowThen")]
    internal sealed class WideNow
    {
        public long Value { get; set; }

        public long? Optional { get; set; }

        public int Flags { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+PartNow")]
    internal class PartThen
    {
        public int X { get; set; }
    }

    internal sealed class PartBelow : PartThen
    {
        public int Y { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+PartThen")]
    internal sealed class PartNow
    {
        public int X { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+HolderNow")]
    internal sealed class HolderThen
    {
        public PartThen? Part { get; set; }

        public PartThen? Same { get; set; }

        public PartThen[]? Parts { get; set; }

        public List<PartThen>? List { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+HolderThen")]
    internal sealed class HolderNow
    {
        public PartNow? Part { get; set; }

        public PartNow? Same { get; set; }

        public PartNow[]? Parts { get; set; }

        public List<PartNow>? List { get; set; }
    }

    internal sealed class RemovedThen
    {
        public object? Gone { get; set; }

        public object? Kept { get; set; }

        public string? Text { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+RemovedThen")]
    internal sealed class RemovedNow
    {
        public object? Kept { get; set; }

        public string? Text { get; set; }
    }

    internal sealed class Removed
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

    internal sealed class EnumHolderThen
    {
        public EnumThen Value { get; set; }

        public EnumThen? Optional { get; set; }

        public object? Any { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+EnumHolderThen")]
    internal sealed class EnumHolderNow
    {
        public EnumNow Value { get; set; }

        public EnumNow? Optional { get; set; }

        public object? Any { get; set; }
    }

    internal sealed class Collision
    {
        public int Fclevy { get; set; }

        public int Fdlmtd { get; set; }
    }

    [PileName("Pile.Tests.Codecs.Cases.VersionTypes+Collision")]
    internal sealed class CollisionNow
    {
        public int Fdlmtd { get; set; }

        public int Fclevy { get; set; }
    }

    internal sealed class PlainOther
    {
        public int Number { get; set; }
    }
}
