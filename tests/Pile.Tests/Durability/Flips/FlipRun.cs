using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Flips;

/// <summary>A closed pile whose files are damaged at one place at a time: what can still be read is what was written, what is missing
/// is said to be, and nothing else is missing.</summary>
internal sealed class FlipRun : IDisposable
{
    private const int PageBytes = 4096;
    private const int SectorBytes = 512;
    private readonly TemporaryDirectory _directory = new();
    private readonly Random _random;
    private readonly int _seed;
    private readonly Dictionary<PilePointer, (long Id, int Version)> _kept = [];
    private readonly List<PilePointer> _deleted = [];
    private readonly List<(string Path, List<long> Pages)> _files = [];

    internal FlipRun(int seed)
    {
        _seed = seed;
        _random = new Random(seed);
        Fill();
        foreach (string path in Directory.GetFiles(_directory.Path, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal))
        {
            if (UsedPages(path) is { Count: > 0 } pages && !path.EndsWith("lock", StringComparison.Ordinal))
            {
                _files.Add((path, pages));
            }
        }
    }

    /// <summary>Damages after which something could not be read, and those that hit nothing in use.</summary>
    internal (int Met, int Unmet) Damages { get; private set; }

    public void Dispose() => _directory.Dispose();

    /// <summary>Damages, looks, and mends, one place after the other.</summary>
    internal void Run(int flips)
    {
        for (int flip = 0; flip < flips; flip++)
        {
            Flip(flip);
        }
    }

    private static PileOptions Options(PileOpenMode mode) => PileOptions.Tiny with
    {
        Promise = mode == PileOpenMode.ReadOnly ? null : PilePromise.ProcessSafe,
        MemoryLimitBytes = null,
        OpenMode = mode,
        AcceptLoss = true,
    };

    private void Fill()
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, Options(PileOpenMode.CreateNew));
        List<PilePointer> order = [];
        for (int id = 1; id <= 500; id++)
        {
            PilePointer pointer = pile.PutBytes(Content.Make(id, 1, Size()));
            _kept.Add(pointer, (id, 1));
            order.Add(pointer);
            PilePointer other = order[_random.Next(order.Count)];
            int version = _kept[other].Version + 1;
            pile.UpdateBytes(other, Content.Make(_kept[other].Id, version, Size()));
            _kept[other] = (_kept[other].Id, version);
            if (id % 5 == 0)
            {
                PilePointer gone = order[_random.Next(order.Count)];
                _ = order.Remove(gone);
                _ = _kept.Remove(gone);
                _deleted.Add(gone);
                ModelMismatchException.Unless(pile.Delete(gone), "model", $"{gone} is not there");
            }
        }
    }

    private int Size() => Content.HeaderBytes + _random.Next(_random.Next(40) == 0 ? 40_000 : 200);

    private static List<long> UsedPages(string path)
    {
        List<long> pages = [];
        using FileStream file = File.OpenRead(path);
        byte[] page = new byte[PageBytes];
        for (long offset = 0; file.ReadAtLeast(page, PageBytes, throwOnEndOfStream: false) > 0; offset += PageBytes)
        {
            if (page.AsSpan().ContainsAnyExcept((byte)0))
            {
                pages.Add(offset);
            }
        }

        return pages;
    }

    private void Flip(int flip)
    {
        (string path, List<long> pages) = _files[_random.Next(_files.Count)];
        int bytes = _random.Next(4) switch { 0 => 0, 1 => 1, 2 => SectorBytes, _ => PageBytes };
        long offset = pages[_random.Next(pages.Count)];
        offset += bytes <= 1 ? _random.Next(PageBytes) : bytes == SectorBytes ? _random.Next(PageBytes / SectorBytes) * SectorBytes : 0;
        bool isTable = Path.GetFileName(path).StartsWith("table.", StringComparison.Ordinal);
        bool isCrawl = !isTable && _random.Next(3) == 0;
        byte[] before = Damage(path, offset, bytes);
        List<string> tables = isCrawl ? [.. Directory.GetFiles(_directory.Path, "table.*")] : [];
        tables.ForEach(static table => File.Move(table, table + ".away"));
        try
        {
            Look(isCrawl, isTable, most: bytes <= 1 ? 1 : bytes / 40 * 2);
        }
        catch (Exception failure) when (failure is ModelMismatchException or PileException or IOException)
        {
            string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : "refused";
            throw new ModelMismatchException(detector, $"[seed {_seed}, flip {flip}: {bytes} bytes (0: a bit) at {offset} of {Path.GetFileName(path)}{(isCrawl ? ", without a table" : "")}] {failure.Message}", failure);
        }

        tables.ForEach(static table => File.Move(table + ".away", table));
        Write(path, offset, before);
    }

    private byte[] Damage(string path, long offset, int bytes)
    {
        byte[] before = new byte[int.Max(1, bytes)];
        using (FileStream file = File.OpenRead(path))
        {
            file.Position = offset;
            Array.Resize(ref before, file.Read(before));
        }

        byte[] damaged = new byte[before.Length];
        _random.NextBytes(damaged);
        for (int index = 0; index < damaged.Length; index++)
        {
            int change = bytes == 0 ? 1 << _random.Next(8) : damaged[index] | 1;
            damaged[index] = (byte)(before[index] ^ change);
        }

        Write(path, offset, damaged);
        return before;
    }

    private static void Write(string path, long offset, byte[] bytes)
    {
        using FileStream file = File.OpenWrite(path);
        file.Position = offset;
        file.Write(bytes);
    }

    private void Look(bool isCrawl, bool isTable, int most)
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, Options(PileOpenMode.ReadOnly));
        bool isSaid = pile.RecoveryReport().Damages.Count > 0;
        int corrupted = 0;
        int missing = 0;
        int steppedBack = 0;
        foreach ((PilePointer pointer, (long id, int version)) in _kept)
        {
            PileStatus status = ReadOne(pile, pointer, out byte[]? content);
            int found = status == PileStatus.Ok ? Content.Require(content, id, $"{pointer}") : 0;
            ModelMismatchException.Unless(status is PileStatus.Ok or PileStatus.Corrupted or PileStatus.Stale, "status", $"{pointer} is answered {status}");
            ModelMismatchException.Unless(found <= version, "invented", $"{pointer} has version {found} of {version}");
            corrupted += status == PileStatus.Corrupted ? 1 : 0;
            missing += status == PileStatus.Stale ? 1 : 0;
            steppedBack += status == PileStatus.Ok && found < version ? 1 : 0;
        }

        int risen = _deleted.Count(pointer => ReadOne(pile, pointer, out _) == PileStatus.Ok);
        bool isNoticed = isSaid || (missing + steppedBack + risen > 0 && !pile.Verify().IsGood);
        ModelMismatchException.Unless(isNoticed || missing + steppedBack + risen == 0, "unnoticed", $"{missing} objects missing, {steppedBack} stepped back, {risen} risen, and nobody says so");
        ModelMismatchException.Unless(isCrawl || steppedBack + risen == 0, "wrong value", $"{steppedBack} objects stepped back, {risen} risen under a table");
        int touched = corrupted + missing + steppedBack + risen;
        ModelMismatchException.Unless(isTable || touched <= most, "too much lost", $"{corrupted} objects corrupted, {missing} missing, {steppedBack} stepped back, {risen} risen");
        foreach (PileItem item in pile.Enumerate())
        {
            ModelMismatchException.Unless(_kept.ContainsKey(item.Pointer) || isSaid || !pile.Verify().IsGood, "invented", $"{item.Pointer} was never put, or deleted");
        }

        Damages = isSaid || touched > 0 ? (Damages.Met + 1, Damages.Unmet) : (Damages.Met, Damages.Unmet + 1);
    }

    private static PileStatus ReadOne(ObjectPile pile, PilePointer pointer, out byte[]? content)
    {
        bool isThere = pile.TryLease(pointer, out PileLease lease, out PileStatus status);
        content = isThere ? lease.Bytes.ToArray() : null;
        if (isThere)
        {
            lease.Dispose();
        }

        return status;
    }
}
