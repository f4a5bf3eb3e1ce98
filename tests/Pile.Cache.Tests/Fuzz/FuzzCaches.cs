using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using Pile.Cache.Files;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Durability;
using Pile.Tests.Fuzz;

namespace Pile.Cache.Tests.Fuzz;

/// <summary>Gives changed directories of caches to an open: closed in order, and left by a kill.</summary>
[SupportedOSPlatform("linux")]
internal sealed class FuzzCaches : FuzzTarget, IDisposable
{
    private const int Keys = 300;
    private const int Large = 50_000;
    private const long AllocatedMax = 512L << 20;
    private static readonly string[] _names = ["speculative", "durable"];
    private static readonly PileCacheOptions _options = new() { MemoryLimitBytes = 8 << 20 };
    private readonly TemporaryDirectory _place = new();
    private readonly List<FuzzImage> _images = [];

    internal FuzzCaches()
    {
        using (PileCache cache = PileCache.Open(_place.Path, _options, PileOptions.Tiny))
        {
            Fill(cache, PileTableKind.Speculative);
            Fill(cache, PileTableKind.Durable);
            cache.Pile.Commit();
            _images.Add(FuzzImage.Load(_place.Path));
        }

        _images.Add(FuzzImage.Load(_place.Path));
    }

    internal override int Origins => _images.Count;

    public void Dispose() => _place.Dispose();

    internal override void Try(FuzzCase input, ICollection<string> shapes)
    {
        FuzzImage image = _images[input.Origin].Fork();
        bool isSealed = false;
        foreach (int seed in input.Seeds)
        {
            isSealed |= FuzzChange.Apply(image, seed, _images);
        }

        image.Store(_place.Path);
        if (input.Origin == 0)
        {
            Settle();
        }

        Random choices = input.Choices();
        long before = GC.GetTotalAllocatedBytes();
        if (choices.Next(5) == 0)
        {
            Attempt("without the cache", shapes, () => UsePile(choices));
        }

        Attempt("cache", shapes, () => UseCache(isSealed, shapes, choices));
        Attempt("again", shapes, () => UseCache(isSealed: true, shapes, choices));
        long allocated = GC.GetTotalAllocatedBytes() - before;
        if (FuzzRun.IsLong && allocated > AllocatedMax)
        {
            throw new FuzzFoundException($"{allocated:N0} bytes were allocated");
        }
    }

    private static void Fill(PileCache cache, PileTableKind kind)
    {
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(_names[(int)kind], new PileTableOptions { Kind = kind });
        for (int key = 0; key < Keys; key++)
        {
            _ = table.Set(key, Value(key, isLast: false));
            _ = table.Set(key, Value(key, isLast: true), new PileEntryOptions { SlidingExpiration = key % 3 == 0 ? TimeSpan.FromDays(3) : null, Tags = key % 5 == 0 ? ["a", "b"] : null });
        }
    }

    private static byte[] Value(int key, bool isLast) => RestartTests.Value((2 * key) + (isLast ? 1 : 0), key % 100 == 7 ? Large : 80);

    private static void Attempt(string name, ICollection<string> shapes, Action action)
    {
        try
        {
            action();
        }
        catch (Exception failure) when (failure is (PileException and not (PileLockedException or PileBusyException)) or IOException or UnauthorizedAccessException)
        {
            shapes.Add($"{name}: {FuzzShape.Of(failure)}");
        }
        catch (Exception failure) when (failure is not FuzzFoundException)
        {
            throw new FuzzFoundException($"{name}: {FuzzShape.Of(failure)}\n{failure}", failure);
        }
    }

    private void UsePile(Random choices)
    {
        using ObjectPile pile = ObjectPile.Open(_place.Path, PileOptions.Tiny with { MemoryLimitBytes = null, AcceptLoss = true });
        for (int index = 0; index < choices.Next(300); index++)
        {
            PilePointer put = pile.PutBytes(new byte[300]);
            _ = pile.Delete(put);
        }

        _ = pile.Compact();
        _ = pile.Verify();
    }

    private void UseCache(bool isSealed, ICollection<string> shapes, Random choices)
    {
        using PileCache cache = PileCache.Open(_place.Path, _options, PileOptions.Tiny);
        foreach (PileTableRecovery recovery in cache.Recovery)
        {
            shapes.Add($"recovery: {recovery.IsKept}, {FuzzShape.Of(recovery.Reason ?? "")}");
        }

        foreach (string name in _names)
        {
            Attempt(name, shapes, () => UseTable(cache.GetOrCreateTable<int, byte[]>(name), isSealed, choices));
        }

        _ = cache.GetStatistics();
        _ = cache.TableNames.Count;
        Attempt("compact", shapes, () => cache.Pile.Compact());
        Attempt("verify", shapes, () =>
        {
            foreach (PileFinding finding in cache.Pile.Verify().Findings.Take(50))
            {
                shapes.Add($"verify: {finding.Damage}, {FuzzShape.Of(finding.Expected)}, {FuzzShape.Of(finding.Actual)}");
            }
        });
    }

    private static void UseTable(PileTable<int, byte[]> table, bool isSealed, Random choices)
    {
        for (int key = 0; key < Keys; key++)
        {
            if (table.TryGet(key, out byte[]? value) && !isSealed && !Value(key, isLast: true).AsSpan().SequenceEqual(value) && !Value(key, isLast: false).AsSpan().SequenceEqual(value))
            {
                throw new FuzzFoundException($"key {key} of {table.Name} has a value that it never had");
            }
        }

        _ = table.Count;
        for (int key = 0; key < Keys; key += choices.Next(1, 5))
        {
            _ = choices.Next(4) switch
            {
                0 => table.Remove(key),
                1 => table.Refresh(key),
                2 => table.TryGetExpiration(key, out _),
                _ => table.Set(key, new byte[choices.Next(400)]).IsStored,
            };
        }

        if (choices.Next(8) == 0)
        {
            table.Clear();
        }
    }

    /// <summary>What a kill leaves names this boot and these very files.</summary>
    private void Settle()
    {
        string path = Path.Combine(_place.Path, StoreNames.Meta);
        FilesFingerprint all = default;
        string extents = Path.Combine(_place.Path, StoreNames.Extents);
        foreach (string file in (Directory.Exists(extents) ? Directory.GetFiles(extents).Order(StringComparer.Ordinal) : Enumerable.Empty<string>()).Prepend(path).Concat(Directory.GetFiles(_place.Path, "table.*").Take(1)).Where(File.Exists))
        {
            all.Add(IdentityOf(file));
        }

        Rewrite(path, MetaSlot.Bytes, copies: 2, (bytes, start) =>
        {
            if (MetaSlot.TryRead(bytes.AsSpan(start, MetaSlot.Bytes), out MetaSlot? slot, out _) && slot.TableTrusted && slot.BootId != Guid.Empty)
            {
                (slot with { BootId = FileProvider.Default.BootOf(_place.Path, Path.Combine(_place.Path, StoreNames.Extents)), FilesFingerprint = all.Value }).Write(bytes.AsSpan(start));
            }
        });
        foreach (string index in Directory.GetFiles(_place.Path, "index.*"))
        {
            FilesFingerprint one = default;
            one.Add(IdentityOf(index));
            Rewrite(index, IndexHeader.Bytes, copies: 1, (bytes, start) =>
            {
                if (start == 0 && IndexHeader.TryRead(bytes, out IndexHeader? header, out _))
                {
                    (header with { BootId = FileProvider.Default.BootOf(_place.Path, Path.Combine(_place.Path, StoreNames.Extents)), FileFingerprint = one.Value }).Write(bytes);
                }
            });
        }
    }

    private static FileIdentity IdentityOf(string path)
    {
        using StoreFile file = FileProvider.Default.Open(path, FileOpening.ReadOnly);
        return file.Identity;
    }

    private static void Rewrite(string path, int bytesOfOne, int copies, Action<byte[], int> change)
    {
        if (!File.Exists(path) || new FileInfo(path).Length < copies * bytesOfOne)
        {
            return;
        }

        using FileStream file = File.Open(path, FileMode.Open);
        byte[] bytes = new byte[copies * bytesOfOne];
        file.ReadExactly(bytes);
        for (int copy = 0; copy < copies; copy++)
        {
            change(bytes, copy * bytesOfOne);
        }

        file.Position = 0;
        file.Write(bytes);
    }
}
