using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using Pile.Format;
using Pile.Memory;
using Pile.Tests.Durability;

namespace Pile.Tests.Fuzz;

/// <summary>Gives changed exports to the import: blocks with other bodies, counts and lengths, in another order, with sums that fit, mostly.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal sealed class FuzzExports : FuzzTarget, IDisposable
{
    private const long AllocatedMax = 64L << 20;
    private const int ItemsMax = 500;
    private readonly TemporaryDirectory _place = new();
    private readonly List<byte[]> _exports = [];

    internal FuzzExports()
    {
        foreach (FuzzOrigin origin in FuzzOrigin.All())
        {
            origin.Image.Store(_place.Path);
            using ObjectPile pile = ObjectPile.Open(_place.Path, FuzzOrigin.Options with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true });
            using var stream = new MemoryStream();
            _ = pile.Export(stream);
            _exports.Add(stream.ToArray());
        }
    }

    internal override int Origins => _exports.Count;

    public void Dispose() => _place.Dispose();

    internal override void Try(FuzzCase input, ICollection<string> shapes)
    {
        byte[] export = _exports[input.Origin];
        foreach (int seed in input.Seeds)
        {
            export = Change(export, new Random(seed));
        }

        Random choices = input.Choices();
        long before = GC.GetTotalAllocatedBytes();
        try
        {
            using ObjectPile pile = Import(export, isToFiles: choices.Next(16) == 0);
            Look(pile, shapes, choices);
        }
        catch (PileException failure)
        {
            shapes.Add(FuzzShape.Of(failure));
        }
        catch (Exception failure) when (failure is not FuzzFoundException)
        {
            throw new FuzzFoundException($"import: {FuzzShape.Of(failure)}\n{failure}", failure);
        }

        long allocated = GC.GetTotalAllocatedBytes() - before;
        if (FuzzRun.IsLong && allocated > AllocatedMax + (20L * export.Length))
        {
            throw new FuzzFoundException($"{allocated:N0} bytes were allocated for {export.Length:N0}");
        }
    }

    private ObjectPile Import(byte[] export, bool isToFiles)
    {
        using var stream = new MemoryStream(export);
        if (!isToFiles)
        {
            return PileImport.ToMemory(stream, PileOptions.Tiny with { MemoryLimitBytes = 64 << 20, Codecs = FuzzOrigin.Options.Codecs });
        }

        if (Directory.Exists(_place.Path))
        {
            Directory.Delete(_place.Path, recursive: true);
        }

        return PileImport.ToDirectory(stream, _place.Path, FuzzOrigin.Options);
    }

    private static void Look(ObjectPile pile, ICollection<string> shapes, Random choices)
    {
        int items = 0;
        foreach (PileItem item in pile.Enumerate())
        {
            if (++items > ItemsMax)
            {
                break;
            }

            try
            {
                _ = choices.Next(2) == 0 ? pile.ToJson(item.Pointer) : pile.TypeNameOf(item.Pointer);
                _ = pile.TryGet(item.Pointer, out object? _, out PileStatus status);
                shapes.Add($"{item.Kind}, {status}");
            }
            catch (PileException failure)
            {
                shapes.Add(FuzzShape.Of(failure));
            }
        }

        foreach (PileFinding finding in pile.Verify().Findings)
        {
            throw new FuzzFoundException($"an import was taken, and verify finds {finding.Damage}, {finding.Where}: {finding.Actual} for {finding.Expected}");
        }

        _ = pile.Export(Stream.Null);
        _ = pile.Put("more");
        _ = pile.Roots.Names.Count;
    }

    private byte[] Change(byte[] export, Random random)
    {
        List<byte[]> blocks = Blocks(export);
        if (blocks.Count == 0)
        {
            return FuzzBytes.Change(export, random, _exports);
        }

        int at = random.Next(blocks.Count);
        at = random.Next(3) == 0 ? int.Min(at, random.Next(4)) : at;
        switch (random.Next(8))
        {
            case 0:
                FuzzBytes.ChangeInPlace(blocks[at].AsSpan(0, ExportBlock.PrefixBytes), random);
                break;
            case 1 when random.Next(2) == 0:
                blocks.RemoveAt(at);
                break;
            case 2 when random.Next(2) == 0:
                blocks.Insert(random.Next(blocks.Count), blocks[at]);
                break;
            default:
                byte[] body = FuzzBytes.Change(blocks[at][ExportBlock.PrefixBytes..], random, blocks);
                _ = ExportBlock.TryReadPrefix(blocks[at], out ExportBlock block);
                uint items = random.Next(4) == 0 ? (uint)FuzzNumbers.Next(random, block.Items, 32) : block.Items;
                blocks[at] = [.. new byte[ExportBlock.PrefixBytes], .. body];
                (block with { Items = items, BodyBytes = (uint)body.Length }).WritePrefix(blocks[at]);
                break;
        }

        return Join(blocks, isSummed: random.Next(8) != 0);
    }

    private static List<byte[]> Blocks(byte[] export)
    {
        List<byte[]> blocks = [];
        for (int at = 0; at + ExportBlock.PrefixBytes + ExportBlock.SumBytes <= export.Length;)
        {
            uint bytes = BinaryPrimitives.ReadUInt32BigEndian(export.AsSpan(at + ExportBlock.PrefixBytes - sizeof(uint)));
            if (bytes > export.Length - at - ExportBlock.PrefixBytes - ExportBlock.SumBytes)
            {
                break;
            }

            blocks.Add(export[at..(at + ExportBlock.PrefixBytes + (int)bytes)]);
            at += ExportBlock.PrefixBytes + (int)bytes + ExportBlock.SumBytes;
        }

        return blocks;
    }

    private static byte[] Join(List<byte[]> blocks, bool isSummed)
    {
        using var joined = new MemoryStream();
        uint sum = 0;
        byte[] end = new byte[ExportBlock.SumBytes];
        foreach (byte[] block in blocks)
        {
            joined.Write(block);
            sum = Crc32C.Compute(block, sum);
            ExportBlock.WriteSum(end, isSummed ? sum : 7);
            joined.Write(end);
            sum = Crc32C.Compute(end, sum);
        }

        return joined.ToArray();
    }
}
