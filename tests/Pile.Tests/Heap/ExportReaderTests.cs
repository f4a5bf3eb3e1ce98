using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Codecs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Golden;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>Streams that are no exports, or damaged ones, or were made to do harm: a typed error that says where, never a pile.</summary>
public sealed class ExportReaderTests
{
    [Fact]
    public void AnExportThatIsCutOffAnywhereIsRefused()
    {
        byte[] export = Small();
        for (int length = 0; length < export.Length; length++)
        {
            Exception? refused = Record.Exception(() => Import(export[..length]));
            Assert.True(length < ExportBlock.PrefixBytes ? refused is PileFormatException : refused is PileCorruptedException, $"{length}: {refused}");
        }
    }

    [Fact]
    public void AnyByteThatIsAnotherIsNoticed()
    {
        byte[] export = Small();
        for (int at = 0; at < export.Length; at++)
        {
            byte[] damaged = [.. export];
            damaged[at] ^= (byte)(1 << (at % 8));
            Exception? refused = Record.Exception(() => Import(damaged));
            Assert.True(refused is PileFormatException or PileCorruptedException, $"byte {at}: {refused}");
        }
    }

    [Fact]
    public void BlocksThatAreMissingTwiceThereOrElsewhereAreNoticed()
    {
        List<byte[]> blocks = Blocks(Small());
        Assert.Equal(5, blocks.Count);
        for (int block = 1; block < blocks.Count; block++)
        {
            Assert.ThrowsAny<PileException>(() => Import([.. blocks.Where((_, index) => index != block).SelectMany(static bytes => bytes)]));
            Assert.ThrowsAny<PileException>(() => Import([.. blocks.Take(block).Append(blocks[block - 1]).Concat(blocks.Skip(block)).SelectMany(static bytes => bytes)]));
        }

        Assert.ThrowsAny<PileException>(() => Import([.. blocks[0], .. blocks[1], .. blocks[3], .. blocks[2], .. blocks[4]]));
    }

    [Theory]
    [InlineData("")]
    [InlineData("PK\u0003\u0004 something else altogether, and longer than a frame")]
    [InlineData("{\"format\":\"pile-export\"}")]
    public void WhatIsNoExportIsNamedSo(string text) =>
        Assert.Contains("not an export", Assert.Throws<PileFormatException>(() => Import([.. text.Select(static at => (byte)at)])).Message, StringComparison.Ordinal);

    [Fact]
    public void ANewerVersionIsNamed()
    {
        byte[] newer = Made(static writer =>
        {
            WireWriter header = writer.BeginItem(ExportBlockKind.Header);
            header.WriteMapHeader(2);
            header.WriteText("format");
            header.WriteText("pile-export");
            header.WriteText("version");
            header.WriteInt32(2);
        });
        Assert.Contains("version 2", Assert.Throws<PileFormatException>(() => Import(newer)).Message, StringComparison.Ordinal);
    }

    public static TheoryData<string> Harms => [.. Harmful().Keys];

    [Theory]
    [MemberData(nameof(Harms))]
    public void HarmfulContentOfWholeBlocksIsRefusedByTheByte(string name)
    {
        byte[] export = Made(writer =>
        {
            Header(writer, 1);
            Harmful()[name](writer);
        });
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => Import(export));
        Assert.Contains("at byte", refused.Message, StringComparison.Ordinal);
        Assert.Contains("Nothing of it was kept", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>A stream of a few bytes asks for no table of a billion slots.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ASlotOfTheExportsOwnThatIsFarFromAllOthersIsRefused(bool isRoot)
    {
        byte[] export = Made(writer =>
        {
            Header(writer, 1);
            if (isRoot)
            {
                Root(writer, FileLimits.ImportGapSlotsMax + 2, 1, "far");
            }
            else
            {
                Type(writer, 4_000_000_000, 1, SchemaOf(1));
            }

            End(writer, 0, isRoot ? 1 : 0, isRoot ? 0 : 1);
        });
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => ExportSample.ToMemory(export, new PileOptions { MemoryLimitBytes = 256 << 20 }));
        Assert.Contains("should be at most", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>Without its counts nothing of the stream would have been compared with them, nor how far off its slots are.</summary>
    [Theory]
    [InlineData(0, false)]
    [InlineData(1, false)]
    [InlineData(2, true)]
    public void AnEndThatDoesNotSayEachCountOnceIsRefused(int items, bool hasCounts)
    {
        byte[] export = Made(writer =>
        {
            Header(writer, 1);
            Root(writer, 0, 0, "root");
            for (int item = 0; item < int.Max(1, items); item++)
            {
                if (hasCounts)
                {
                    End(writer, 0, 1);
                }
                else
                {
                    writer.BeginItem(ExportBlockKind.End).WriteMapHeader(0);
                }
            }
        });
        if (items == 0)
        {
            List<byte[]> blocks = Blocks(export);
            blocks[^1] = new byte[ExportBlock.PrefixBytes + ExportBlock.SumBytes];
            blocks[^1][^ExportBlock.SumBytes] = blocks[0][^ExportBlock.SumBytes];
            new ExportBlock(ExportBlockKind.End, 0, 0).WritePrefix(blocks[^1]);
            export = Summed(blocks);
        }

        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => Import(export));
        Assert.Contains("at byte", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void TheSameContentWithoutHarmIsImported()
    {
        byte[] export = Made(static writer =>
        {
            Header(writer, 1);
            writer.WriteObject(1, 1, RecordCode.Bytes, [7]);
            Root(writer, 0, 0, "root");
            End(writer, 1, 1);
        });
        using ObjectPile pile = Import(export);
        Assert.True(pile.Roots.TryGet("root", out _));
        Assert.Empty(pile.Verify().Findings);
    }

    [Fact]
    public void ALengthThatWasNeverWrittenAsksForNoMemory()
    {
        byte[] export = Made(static writer => Header(writer, 1));
        byte[] prefix = new byte[ExportBlock.PrefixBytes];
        foreach (uint bytes in (uint[])[Limits.PayloadBytesMax, uint.MaxValue, 1 << 30])
        {
            new ExportBlock(ExportBlockKind.Objects, 1, bytes).WritePrefix(prefix);
            byte[] claiming = [.. export, .. prefix, .. new byte[100]];
            long before = GC.GetAllocatedBytesForCurrentThread();
            Assert.Throws<PileCorruptedException>(() => Import(claiming));
            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 8 << 20);
        }
    }

    [Fact]
    public void RandomContentOfWholeBlocksGivesATypedErrorOrAGoodPile()
    {
        const int Seed = 231;
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {Seed}");
        var random = new Random(Seed);
        List<byte[]> blocks = Blocks(Small());
        int imported = 0;
        for (int round = 0; round < 1000; round++)
        {
            List<byte[]> changed = [.. blocks.Select(static block => block.ToArray())];
            byte[] victim = changed[random.Next(changed.Count)];
            for (int changes = random.Next(1, 4); changes > 0; changes--)
            {
                victim[random.Next(ExportBlock.PrefixBytes, victim.Length - ExportBlock.SumBytes)] = (byte)random.Next(256);
            }

            Exception? refused = Record.Exception(() =>
            {
                using ObjectPile pile = Import(Summed(changed));
                imported++;
                Assert.Empty(pile.Verify().Findings);
                foreach (PileItem item in pile.Enumerate())
                {
                    Exception? unread = Record.Exception(() => pile.Describe(item.Pointer));
                    Assert.True(unread is null or PileException, $"{unread}");
                }
            });
            Assert.True(refused is null or PileException, $"round {round}: {refused}");
        }

        Assert.InRange(imported, 10, 990);
    }

    private static Dictionary<string, Action<ExportWriter>> Harmful() => new()
    {
        ["slot 0"] = static writer => writer.WriteObject(0, 1, RecordCode.Bytes, []),
        ["a slot twice"] = static writer =>
        {
            writer.WriteObject(5, 1, RecordCode.Bytes, []);
            writer.WriteObject(5, 2, RecordCode.Bytes, []);
        },
        ["slots that fall"] = static writer =>
        {
            writer.WriteObject(5, 1, RecordCode.Bytes, []);
            writer.WriteObject(4, 1, RecordCode.Bytes, []);
        },
        ["a slot far away"] = static writer => writer.WriteObject(FileLimits.ImportGapSlotsMax + 2, 1, RecordCode.Bytes, []),
        ["a slot beyond all"] = static writer => writer.WriteObject(uint.MaxValue, 1, RecordCode.Bytes, []),
        ["generation 0"] = static writer => writer.WriteObject(1, 0, RecordCode.Bytes, []),
        ["generation of 25 bits"] = static writer => writer.WriteObject(1, 1 << 24, RecordCode.Bytes, []),
        ["a descriptor of pages"] = static writer => writer.WriteObject(1, 1, RecordCode.Large, new byte[24]),
        ["a tombstone"] = static writer => writer.WriteObject(1, 1, RecordCode.Tombstone, []),
        ["a schema as an object"] = static writer => writer.WriteObject(1, 1, RecordCode.Schema, [1]),
        ["a cache entry"] = static writer => writer.WriteObject(1, 1, RecordCode.Cache, []),
        ["kind 0"] = static writer => writer.WriteObject(1, 1, RecordCode.Invalid, []),
        ["kind 16"] = static writer => writer.WriteObject(1, 1, (RecordCode)16, []),
        ["half a char"] = static writer => writer.WriteObject(1, 1, RecordCode.WideString, [1, 2, 3]),
        ["an item of three"] = static writer =>
        {
            WireWriter item = writer.BeginItem(ExportBlockKind.Objects);
            item.WriteArrayHeader(3);
            item.WriteInt32(1);
            item.WriteInt32(1);
            item.WriteInt32(1);
        },
        ["bytes left over"] = static writer =>
        {
            writer.WriteObject(1, 1, RecordCode.Bytes, []);
            writer.BeginItem(ExportBlockKind.Objects).WriteArrayHeader(0);
        },
        ["a slot of an object and of a type"] = static writer =>
        {
            Type(writer, 1, 1, SchemaOf(1));
            writer.WriteObject(1, 1, RecordCode.Bytes, []);
            End(writer, 1, 0, types: 1);
        },
        ["a slot of a root and of a type"] = static writer =>
        {
            Type(writer, 1, 1, SchemaOf(1));
            Root(writer, 1, 1, "root");
            End(writer, 0, 1, types: 1);
        },
        ["no schema"] = static writer =>
        {
            Type(writer, 1, 1, [0xc0]);
            End(writer, 0, 0, types: 1);
        },
        ["an empty schema"] = static writer => Type(writer, 1, 1, []),
        ["a schema that is too long"] = static writer => Type(writer, 1, 1, new byte[20_000]),
        ["a root twice"] = static writer =>
        {
            Root(writer, 0, 0, "root");
            Root(writer, 0, 0, "root");
            End(writer, 0, 2);
        },
        ["a root without name"] = static writer => Root(writer, 0, 0, string.Empty),
        ["a root of a long name"] = static writer => Root(writer, 0, 0, new string('x', 1025)),
        ["fewer objects than it says"] = static writer => End(writer, 1, 0),
        ["fewer roots than it says"] = static writer => End(writer, 0, 1),
        ["a header in the midst"] = static writer =>
        {
            Root(writer, 0, 0, "root");
            Header(writer, 1);
        },
        ["another kind of block"] = static writer => writer.BeginItem((ExportBlockKind)9).WriteNil(),
    };

    private static void Header(ExportWriter writer, long objects) =>
        new ExportHeader(0, 5, PilePromise.Memory, 1, objects, 1).Write(writer.BeginItem(ExportBlockKind.Header));

    private static void Type(ExportWriter writer, uint slot, uint generation, byte[] record)
    {
        WireWriter item = writer.BeginItem(ExportBlockKind.Types);
        item.WriteArrayHeader(3);
        item.WriteUInt32(slot);
        item.WriteUInt32(generation);
        item.WriteBinary(record);
    }

    private static void Root(ExportWriter writer, uint slot, uint generation, string name)
    {
        WireWriter item = writer.BeginItem(ExportBlockKind.Roots);
        item.WriteArrayHeader(4);
        item.WriteUInt32(slot);
        item.WriteUInt32(generation);
        item.WriteText(name);
        item.WriteUInt64(0);
    }

    private static void End(ExportWriter writer, long objects, int roots, int types = 0)
    {
        WireWriter item = writer.BeginItem(ExportBlockKind.End);
        item.WriteMapHeader(3);
        item.WriteText("objects");
        item.WriteInt64(objects);
        item.WriteText("types");
        item.WriteInt32(types);
        item.WriteText("roots");
        item.WriteInt32(roots);
    }

    private static byte[] SchemaOf(int number)
    {
        var writer = new WireWriter();
        new Schema(number, "Shop!Shop.Order", PlanKind.Fields, default, []).Write(writer);
        return writer.Written.ToArray();
    }

    private static byte[] Made(Action<ExportWriter> write)
    {
        using var target = new MemoryStream();
        var writer = new ExportWriter(bytes => target.Write(bytes.Span), CancellationToken.None);
        write(writer);
        writer.Complete();
        return target.ToArray();
    }

    private static byte[] Small()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { Codecs = GoldenContent.Options.Codecs });
        pile.Roots.Set("person", pile.Put(new GoldenTypes.Dog { Name = "Rex" }));
        _ = pile.Put("text");
        _ = pile.Put("\u4e16");
        _ = pile.Put(new TestCodecs.Name("by a codec"));
        PilePointer deleted = pile.Put(7);
        _ = pile.Put(8);
        Assert.True(pile.Delete(deleted));
        return ExportSample.Export(pile);
    }

    /// <summary>The blocks of an export, each with its frame.</summary>
    private static List<byte[]> Blocks(byte[] export)
    {
        List<byte[]> blocks = [];
        for (int at = 0; at < export.Length; at += blocks[^1].Length)
        {
            Assert.True(ExportBlock.TryReadPrefix(export.AsSpan(at), out ExportBlock block));
            blocks.Add(export[at..(at + ExportBlock.PrefixBytes + (int)block.BodyBytes + ExportBlock.SumBytes)]);
        }

        return blocks;
    }

    /// <summary>Blocks put together, their checksums made anew.</summary>
    private static byte[] Summed(List<byte[]> blocks)
    {
        uint sum = 0;
        foreach (byte[] block in blocks)
        {
            sum = Crc32C.Compute(block.AsSpan(0, block.Length - ExportBlock.SumBytes), sum);
            ExportBlock.WriteSum(block.AsSpan(block.Length - ExportBlock.SumBytes), sum);
            sum = Crc32C.Compute(block.AsSpan(block.Length - ExportBlock.SumBytes), sum);
        }

        return [.. blocks.SelectMany(static block => block)];
    }

    private static ObjectPile Import(byte[] export)
    {
        using var source = new MemoryStream(export);
        return PileImport.ToMemory(source, PileOptions.Tiny with { Codecs = GoldenContent.Options.Codecs }, cancellationToken: TestContext.Current.CancellationToken);
    }
}
