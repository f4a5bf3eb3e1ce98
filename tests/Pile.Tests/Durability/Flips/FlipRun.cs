using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Flips;

/// <summary>A pile that was closed, killed or cut off its power, and whose files are damaged at one place at a time: what can still be read is what was
/// written, what is missing is said to be, and nothing else is missing.</summary>
internal sealed class FlipRun : IDisposable
{
    private const int PageBytes = 4096;
    private const int SectorBytes = 512;
    private readonly TemporaryDirectory _directory = new();
    private readonly SimulatedFiles? _simulated;
    private readonly SimulatedFiles? _ended;
    private readonly FileProvider _store;
    private readonly string _path;
    private readonly FlipEnd _end;
    private readonly PilePointer _between;
    private readonly Random _random;
    private readonly int _seed;
    private readonly Dictionary<PilePointer, (long Id, int Version)> _kept = [];
    private readonly List<PilePointer> _deleted = [];
    private readonly List<(string Path, List<long> Pages)> _files = [];

    internal FlipRun(int seed, FlipEnd end)
    {
        _seed = seed;
        _end = end;
        _random = new Random(seed);
        _simulated = end == FlipEnd.Close ? null : new SimulatedFiles();
        (_store, _path) = _simulated is null ? (FileProvider.Default, _directory.Path) : (_simulated, "/pile");
        using (ObjectPile pile = Fill())
        {
            if (end != FlipEnd.Close)
            {
                // The second has the marker of the first, which proves all; in no page with what else there is.
                _between = pile.PutBytes(new byte[2 * PageBytes]);
                pile.Commit();
                pile.Commit();
                _ended = end == FlipEnd.Kill ? _simulated!.Fork() : _simulated!.EnumerateCuts(int.MaxValue).First();
                _store = _ended;
            }
        }

        foreach (string path in Paths().Order(StringComparer.Ordinal))
        {
            if (UsedPages(path) is { Count: > 0 } pages && !path.EndsWith("lock", StringComparison.Ordinal))
            {
                _files.Add((path, pages));
            }
        }
    }

    /// <summary>Damages after which something could not be read, and those that hit nothing in use.</summary>
    internal (int Met, int Unmet) Damages { get; private set; }

    public void Dispose()
    {
        _ended?.Dispose();
        _simulated?.Dispose();
        _directory.Dispose();
    }

    /// <summary>Damages, looks, and mends, one place after the other.</summary>
    internal void Run(int flips)
    {
        for (int flip = 0; flip < flips; flip++)
        {
            Flip(flip);
        }
    }

    private static PileOptions Options(PileOpenMode mode, FileProvider files) => PileOptions.Tiny with
    {
        Files = files,
        FlushInterval = TimeSpan.FromHours(1),
        Promise = mode == PileOpenMode.ReadOnly ? null : PilePromise.ProcessSafe,
        MemoryLimitBytes = null,
        OpenMode = mode,
        AcceptLoss = true,
    };

    private ObjectPile Fill()
    {
        ObjectPile pile = ObjectPile.Open(_path, Options(PileOpenMode.CreateNew, _store));
        List<PilePointer> order = [];
        for (int id = 1; id <= 500; id++)
        {
            if (id % 25 == 0)
            {
                Batch(pile, order, id);
                continue;
            }

            Note(order, pile.PutBytes(Content.Make(id, 1, Size())), id);
            PilePointer other = order[_random.Next(order.Count)];
            pile.UpdateBytes(other, Next(other));
            if (id % 5 == 0)
            {
                PilePointer gone = order[_random.Next(order.Count)];
                ModelMismatchException.Unless(pile.Delete(gone), "model", $"{gone} is not there");
                Forget(order, gone);
            }

            if (id == 150 && _seed % 4 == 0)
            {
                pile.Clear();
                order.Clear();
                _deleted.AddRange(_kept.Keys);
                _kept.Clear();
            }

            if (id % 70 == 0 && order.Count > 0)
            {
                pile.Roots.Set($"root {id % 3}", order[_random.Next(order.Count)]);
            }

            if (id == 350 && _seed % 2 == 0)
            {
                _ = pile.Durable!.Checkpoints.TryTake(default);
            }

            if (id % 60 == 0)
            {
                Clean(pile);
            }
        }

        return pile;
    }

    private static void Clean(ObjectPile pile)
    {
        pile.Durable!.Core.Cleaner.EnterRole();
        _ = pile.Durable.Core.Cleaner.Pass(wantedSegments: 2, utilisationMax: 0.98, waitMs: 0);
        pile.Durable.Core.Cleaner.ExitRole();
    }

    /// <summary>One put, one updated and one deleted together.</summary>
    private void Batch(ObjectPile pile, List<PilePointer> order, int id)
    {
        using PileBatch batch = pile.BeginBatch();
        PilePointer gone = order[_random.Next(order.Count)];
        batch.Delete(gone);
        Forget(order, gone);
        PilePointer other = order[_random.Next(order.Count)];
        batch.Update(other, Next(other));
        Note(order, batch.Put(Content.Make(id, 1, Size())), id);
        batch.Commit();
    }

    private void Note(List<PilePointer> order, PilePointer pointer, int id)
    {
        _kept.Add(pointer, (id, 1));
        order.Add(pointer);
    }

    private void Forget(List<PilePointer> order, PilePointer gone)
    {
        _ = order.Remove(gone);
        _ = _kept.Remove(gone);
        _deleted.Add(gone);
    }

    /// <summary>The next version of an object.</summary>
    private byte[] Next(PilePointer pointer)
    {
        (long id, int version) = _kept[pointer];
        _kept[pointer] = (id, version + 1);
        return Content.Make(id, version + 1, Size());
    }

    private int Size() => Content.HeaderBytes + _random.Next(_random.Next(40) == 0 ? 40_000 : 200);

    /// <summary>The files of the pile.</summary>
    private IEnumerable<string> Paths() =>
        ((string[])["", "/extents"]).SelectMany(folder => _store.List(_path + folder).Select(name => $"{_path}{folder}/{name}")).Where(path => !path.EndsWith("/extents", StringComparison.Ordinal));

    private IEnumerable<string> Tables() => Paths().Where(static path => Path.GetFileName(path).StartsWith("table.", StringComparison.Ordinal));

    private List<long> UsedPages(string path)
    {
        List<long> pages = [];
        using StoreFile file = _store.Open(path, FileOpening.ReadOnly);
        byte[] page = new byte[PageBytes];
        for (long offset = 0; offset < file.Bytes; offset += PageBytes)
        {
            Span<byte> part = page.AsSpan(0, (int)long.Min(PageBytes, file.Bytes - offset));
            file.Read(offset, part);
            if (part.ContainsAnyExcept((byte)0))
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
        bool isCrawl = _end == FlipEnd.Cut || (!isTable && _random.Next(3) == 0);
        byte[] before = Damage(path, offset, bytes);
        List<string> tables = isCrawl ? [.. Tables()] : [];
        tables.ForEach(table => _store.Rename(table, table + ".away"));
        try
        {
            Look(isTable, most: bytes <= 1 ? 1 : bytes / 40 * 2);
        }
        catch (Exception failure) when (failure is ModelMismatchException or PileException or IOException)
        {
            string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : "refused";
            throw new ModelMismatchException(detector, $"[seed {_seed}, flip {flip}: {bytes} bytes (0: a bit) at {offset} of {Path.GetFileName(path)}{(isCrawl ? ", without a table" : "")}] {failure.Message}", failure);
        }

        tables.ForEach(table => _store.Rename(table + ".away", table));
        Write(path, offset, before);
    }

    private byte[] Damage(string path, long offset, int bytes)
    {
        byte[] before;
        using (StoreFile file = _store.Open(path, FileOpening.ReadOnly))
        {
            before = new byte[long.Clamp(file.Bytes - offset, 0, int.Max(1, bytes))];
            file.Read(offset, before);
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

    private void Write(string path, long offset, byte[] bytes)
    {
        using StoreFile file = _store.Open(path, FileOpening.OpenExisting);
        file.Write(offset, bytes);
    }

    private void Look(bool isTable, int most)
    {
        // One that was not closed is rolled forward, or crawled, by who may change it; here what it changes is dropped.
        using SimulatedFiles? changed = _ended?.Fork();
        Dictionary<PilePointer, (long Id, int Version)> seen = [];
        Look(changed, isTable, most, seen);
        if (changed is not null && _random.Next(4) == 0)
        {
            RequireStill(changed, seen);
        }
    }

    /// <summary>What an open had found is there in the next one, which may not believe the table any more.</summary>
    private void RequireStill(SimulatedFiles changed, Dictionary<PilePointer, (long Id, int Version)> seen)
    {
        using ObjectPile again = ObjectPile.Open(_path, Options(PileOpenMode.OpenExisting, changed));
        foreach ((PilePointer pointer, (long id, int version)) in seen)
        {
            PileStatus status = ReadOne(again, pointer, out byte[]? content);
            int found = status == PileStatus.Ok ? Content.Require(content, id, $"{pointer}") : 0;
            PileRecoveryReport report = again.RecoveryReport();
            ModelMismatchException.Unless(found == version, "lost later", $"{pointer} has version {found}, {status}, had {version} in the open before; {report.Opening}, {report.Reason}, {string.Join("; ", report.Damages)}");
        }
    }

    private void Look(SimulatedFiles? changed, bool isTable, int most, Dictionary<PilePointer, (long Id, int Version)> seen)
    {
        using ObjectPile pile = ObjectPile.Open(_path, changed is null ? Options(PileOpenMode.ReadOnly, _store) : Options(PileOpenMode.OpenExisting, changed));
        pile.Core.WaitCounted(default);
        PileRecoveryReport report = pile.RecoveryReport();
        bool isSaid = report.Damages.Count > 0;
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
            if (found > 0)
            {
                seen.Add(pointer, (id, found));
            }

            missing += status == PileStatus.Stale ? 1 : 0;
            steppedBack += status == PileStatus.Ok && found < version ? 1 : 0;
        }

        int risen = _deleted.Count(pointer => ReadOne(pile, pointer, out _) == PileStatus.Ok);
        bool isNoticed = isSaid || (missing + steppedBack + risen > 0 && !pile.Verify().IsGood);
        ModelMismatchException.Unless(isNoticed || missing + steppedBack + risen == 0, "unnoticed", $"{missing} objects missing, {steppedBack} stepped back, {risen} risen, and nobody says so");
        ModelMismatchException.Unless(report.Opening == PileOpening.Crawled || steppedBack + risen == 0, "wrong value", $"{steppedBack} objects stepped back, {risen} risen under a table; {report.Opening}, {report.Reason}, {string.Join("; ", report.Damages)}");

        // Without the record that a slot was used again by, what it had before may rise, when the cleaner has dropped the tombstone between.
        int touched = corrupted + missing + steppedBack;
        ModelMismatchException.Unless(isTable || (touched <= most && risen <= most), "too much lost", $"{corrupted} objects corrupted, {missing} missing, {steppedBack} stepped back, {risen} risen");
        foreach (PileItem item in pile.Enumerate())
        {
            ModelMismatchException.Unless(_kept.ContainsKey(item.Pointer) || item.Pointer == _between || isSaid || !pile.Verify().IsGood, "invented", $"{item.Pointer} was never put, or deleted");
        }

        if (changed is not null)
        {
            _ = pile.PutBytes(new byte[100]);
            Clean(pile);
        }

        Damages = isSaid || touched + risen > 0 ? (Damages.Met + 1, Damages.Unmet) : (Damages.Met, Damages.Unmet + 1);
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
