using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What reading may allocate: enough for every value that was put, however much smaller its bytes are; not more.</summary>
public sealed class ReadAllowanceTests
{
    private const int Many = 30_000;

    [Fact]
    public void LargeStructsThatAreNilAreReadWhereverTheyStand()
    {
        Matrix4x4?[] all = new Matrix4x4?[Many];
        all[5] = Matrix4x4.Identity;
        Assert.Equal(all, Once(all));
        Assert.Equal(all, Once(new List<Matrix4x4?>(all)));
        Assert.Equal(all, Once(new Queue<Matrix4x4?>(all)));
        Assert.Equal(all, Once(Enumerable.Range(0, Many).ToDictionary(static number => number, number => all[number])).Values);
        Assert.Equal(all, Once(Enumerable.Range(0, Many).ToFrozenDictionary(static number => number, number => all[number])).OrderBy(static pair => pair.Key).Select(static pair => pair.Value));
        Matrix4x4?[,] grid = new Matrix4x4?[Many, 1];
        Assert.Equal(grid.Length, Once(grid).Length);
        Assert.Equal(Many, Once(Enumerable.Range(0, Many).Select(static _ => (object)default(Holder)).ToArray()).OfType<Holder>().Count());
    }

    [Fact]
    public void ManySmallCollectionsAreRead()
    {
        Assert.Equal(Many, Once(Enumerable.Range(0, Many).Select(static number => new[] { number & 63 }.ToFrozenSet()).ToList()).Count);
        Assert.Equal(Many, Once(Enumerable.Range(0, Many).Select(static _ => new Tags()).ToArray()).Length);
        Assert.Equal(Many, Once(new Queue<Tags>(Enumerable.Range(0, Many).Select(static _ => new Tags()))).Count);
        Assert.Equal(Many, Once(Enumerable.Range(0, Many).Select(static _ => new Silent()).ToArray()).Length);
    }

    [Fact]
    public void ARemovedFieldMayHoldManySmallValuesThatAreReferredTo()
    {
        object[] all = [.. Enumerable.Range(0, Many).Select(static number => (object)(number & 63))];
        var before = new GraphStore();
        byte[] bytes = before.Write(new BothThen { Gone = all, Kept = all });
        object[] kept = (object[])new GraphStore(before).Read<OneNow>(bytes).Kept!;
        Assert.Equal(all, kept);
    }

    [Fact]
    public void ManySmallValuesOfAContractAreRead()
    {
        // Each is far more than the others together, so that none lives on what another leaves.
        ContractThen[] all =
        [
            new() { Rows = [.. Enumerable.Range(0, Many).Select(static _ => Array.Empty<int>())] },
            new() { Maps = [.. Enumerable.Range(0, Many).Select(static _ => new Dictionary<int, int>())] },
            new() { Matrices = new Matrix?[Many] },
            new() { Lines = [.. Enumerable.Range(0, Many).Select(static _ => new SmallLine { X = 1 })] },
        ];
        foreach (ContractThen then in all)
        {
            var bytes = new System.Buffers.ArrayBufferWriter<byte>();
            new PileContractCodec<ContractThen>().Write(then, bytes);
            ContractNow now = new PileContractCodec<ContractNow>().Read(bytes.WrittenSpan);
            Assert.Equal((then.Rows?.Length, then.Maps?.Count, then.Matrices?.Length, then.Lines?.Length), (now.Rows?.Length, now.Maps?.Count, now.Matrices?.Length, now.Lines?.Length));
        }
    }

    /// <summary>Many large objects that are announced, and whose content does not follow.</summary>
    [Fact]
    public void LargeObjectsAnnouncedInFewBytesAreDamage()
    {
        const int Announced = 1000;
        var store = new GraphStore();
        _ = store.Write(new object[] { new Large(), "text" });
        byte array = NumberOf(store, "Object[]");
        byte large = NumberOf(store, nameof(Large));
        byte[] bytes = [0x93, 0xc2, 0xdc, Announced + 1 >> 8, (Announced + 1) & 0xff, array, .. Enumerable.Repeat<byte[]>([0xd4, 0x02, large], Announced).SelectMany(static part => part), 0x90];
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<object[]>(bytes)));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 * (bytes.Length + (64 << 10)));
    }

    [Fact]
    public void AnArrayWhoseLengthsMultiplyBeyondAllNumbersIsDamage()
    {
        var store = new GraphStore();
        _ = store.Write(new int[2, 0, 0]);
        byte number = (byte)store.Table.Versions().Single().Schema.Number;
        byte[] length = [0xce, 0x40, 0, 0, 0];
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<int[,,]>([0x97, number, .. length, 0, .. length, 0, 0, 0])));

        // As far as the runtime itself goes.
        int[,,] empty = Once(new int[50_000, 60_000, 0]);
        Assert.Equal((50_000, 60_000, 0), (empty.GetLength(0), empty.GetLength(1), empty.GetLength(2)));
    }

    [Fact]
    public void AnObjectAnnouncedAndNeverFilledIsNotFinalized()
    {
        AnnounceFinalized();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Assert.Equal(0, Finalized.Unfilled);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AnnounceFinalized()
    {
        var store = new GraphStore();
        _ = store.Write(new object[] { new Finalized(), "text" });
        byte[] bytes = [0x93, 0xc2, 0x92, NumberOf(store, "Object[]"), 0xd4, 0x02, NumberOf(store, nameof(Finalized)), 0x90];
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<object[]>(bytes)));
    }

    private static byte NumberOf(GraphStore store, string name) =>
        (byte)store.Table.Versions().Single(version => version.Schema.TypeName.EndsWith(name, StringComparison.Ordinal)).Schema.Number;

    private static T Once<T>(T value)
        where T : notnull
    {
        using var pile = new GraphPile("Emitted", PileOptions.Tiny with { MemoryLimitBytes = 64 << 20 });
        return pile.Once(value);
    }

    [InlineArray(100_000)]
    private struct Hundred
    {
        private byte _first;
    }

    private record struct Holder(Matrix4x4? One, Matrix4x4? Other, Matrix4x4? Third);

    private sealed class Tags : List<string>;

    private sealed class Large
    {
        public Hundred Bytes { get; set; }

        public object? Next { get; set; }
    }

    private sealed class Finalized
    {
        ~Finalized() => Unfilled += Text is null ? 1 : 0;

        public static int Unfilled { get; private set; }

        public string? Text { get; set; } = "text";
    }

    /// <summary>Has nothing to say.</summary>
    private sealed class Silent : ISerializable
    {
        internal Silent()
        {
        }

        private Silent(SerializationInfo info, StreamingContext context) => _ = (info, context);

        public void GetObjectData(SerializationInfo info, StreamingContext context)
        {
        }
    }

    internal sealed class BothThen
    {
        public object? Gone { get; set; }

        public object? Kept { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ReadAllowanceTests+BothThen")]
    internal sealed class OneNow
    {
        public object? Kept { get; set; }
    }

    [DataContract]
    public sealed class ContractThen
    {
        [DataMember(Order = 0)]
        public int[][]? Rows { get; set; }

        [DataMember(Order = 1)]
        public List<Dictionary<int, int>>? Maps { get; set; }

        [DataMember(Order = 2)]
        public Matrix?[]? Matrices { get; set; }

        [DataMember(Order = 3)]
        public SmallLine[]? Lines { get; set; }
    }

    /// <summary>The same when a line has many more members.</summary>
    [DataContract]
    public sealed class ContractNow
    {
        [DataMember(Order = 0)]
        public int[][]? Rows { get; set; }

        [DataMember(Order = 1)]
        public List<Dictionary<int, int>>? Maps { get; set; }

        [DataMember(Order = 2)]
        public Matrix?[]? Matrices { get; set; }

        [DataMember(Order = 3)]
        public LargeLine[]? Lines { get; set; }
    }

    [DataContract]
    public struct Matrix
    {
        [DataMember(Order = 0)]
        public Guid One { get; set; }

        [DataMember(Order = 1)]
        public Guid Two { get; set; }

        [DataMember(Order = 2)]
        public Guid Three { get; set; }

        [DataMember(Order = 3)]
        public Guid Four { get; set; }

        [DataMember(Order = 4)]
        public Guid Five { get; set; }
    }

    [DataContract]
    public sealed class SmallLine
    {
        [DataMember(Order = 0)]
        public int X { get; set; }
    }

    [DataContract]
    public sealed class LargeLine
    {
        [DataMember(Order = 0)]
        public int X { get; set; }

        [DataMember(Order = 20)]
        public int Y { get; set; }
    }
}
