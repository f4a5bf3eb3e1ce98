using System;
using System.Collections.Generic;
using System.Linq;

namespace Pile.Tests.Codecs;

/// <summary>Types that graphs of tests are made of.</summary>
internal static class GraphTypes
{
    internal sealed class Node
    {
        public int Value { get; set; }

        public Node? Next { get; set; }
    }

    internal sealed class Holder
    {
        public List<string>? First { get; set; }

        public List<string>? Second { get; set; }

        public int[]? Third { get; set; }

        public int[]? Fourth { get; set; }
    }

    /// <summary>A class whose fields name endlessly many types.</summary>
    internal sealed class Endless<T>
    {
        public T? Value { get; set; }

        public Endless<Endless<T>>? More { get; set; }
    }

    /// <summary>The same through arrays, and arrays of arrays.</summary>
    internal sealed class EndlessArrays<T>
    {
        public T? Value { get; set; }

        public EndlessArrays<T[]>? More { get; set; }

        public EndlessArrays<T[,]>[]? Others { get; set; }

        public EndlessStruct<T>? Struct { get; set; }
    }

    /// <summary>The same by either.</summary>
    internal sealed class EndlessWays<T>
    {
        public T? Value { get; set; }

        public EndlessWays<T[]>? Arrays { get; set; }

        public EndlessWays<List<T>>? Lists { get; set; }
    }

    /// <summary>The same through arrays of itself, in which it stands.</summary>
    internal struct EndlessStruct<T>
    {
        public T? Value { get; set; }

        public EndlessStruct<EndlessStruct<T>>[]? More { get; set; }
    }

    internal sealed class Provided
    {
        internal static int Reads { get; set; }

        public int Number { get; set; }

        public string? Name { get; set; }
    }

    internal sealed class Key
    {
        public string? Name { get; init; }

        public object? Owner { get; init; }

        public override bool Equals(object? obj) => obj is Key other && other.Name == Name;

        public override int GetHashCode() => Name!.GetHashCode(StringComparison.Ordinal);
    }

    internal sealed class SetKey
    {
        public HashSet<int>? Set { get; init; }

        public override bool Equals(object? obj) => obj is SetKey other && Set!.SetEquals(other.Set!);

        public override int GetHashCode() => Set!.Sum();
    }

    internal sealed class Modulo : IEqualityComparer<int>
    {
        public int Base { get; init; }

        public bool Equals(int x, int y) => x % Base == y % Base;

        public int GetHashCode(int obj) => obj % Base;
    }
}
