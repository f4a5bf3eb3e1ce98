using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Durability;
using Pile.Tests.Durability.Flips;
using Pile.Tests.Golden;
using Pile.Tests.Model;

namespace Pile.Tests.Fuzz;

/// <summary>A good directory, and what its objects may be read as. Those that are no golden ones are made anew by each process, and have another
/// identity each time: a case of theirs is nearly the same again, one of a golden one exactly.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal sealed class FuzzOrigin
{
    private readonly Dictionary<PilePointer, (long Id, int Version)> _made = [];
    private readonly Dictionary<PilePointer, byte[]> _read = [];
    private readonly FlipEnd _end;

    private FuzzOrigin(FuzzImage image, FlipEnd end)
    {
        Image = image;
        _end = end;
    }

    /// <summary>Its files.</summary>
    internal FuzzImage Image { get; private set; }

    /// <summary>Objects that were put at some time.</summary>
    internal IEnumerable<PilePointer> Pointers => _made.Keys.Concat(_read.Keys);

    /// <summary>Options that open such.</summary>
    internal static PileOptions Options => PileOptions.Tiny with
    {
        MemoryLimitBytes = null,
        DiskReserveBytes = 0,
        SegmentBytesMax = 16 * PileOptions.Tiny.SegmentBytesMax,
        FlushInterval = TimeSpan.FromHours(1),
        Codecs = GoldenContent.Options.Codecs,
    };

    /// <summary>All: golden ones, and small ones of each promise that were closed, killed, or cut off their power.</summary>
    internal static FuzzOrigin[] All()
    {
        using var place = new TemporaryDirectory();
        List<FuzzOrigin> all = [];
        foreach (string golden in Directory.GetFiles(Path.Combine(AppContext.BaseDirectory, "golden"), "*.golden", SearchOption.AllDirectories).Order(StringComparer.Ordinal))
        {
            string path = Path.Combine(place.Path, Path.GetFileName(golden));
            using (FileStream source = File.OpenRead(golden))
            {
                GoldenImage.Unpack(source, path);
            }

            all.Add(OfGolden(path));
        }

        foreach (PilePromise promise in (PilePromise[])[PilePromise.PowerSafe, PilePromise.ProcessSafe])
        {
            foreach (FlipEnd end in Enum.GetValues<FlipEnd>())
            {
                all.Add(Make(Path.Combine(place.Path, $"{promise} {end}"), promise, end));
            }
        }

        return [.. all];
    }

    /// <summary>What stored files must say so that an open takes them for those that a killed process left, or a power cut.</summary>
    internal void Settle(string directory)
    {
        string path = Path.Combine(directory, StoreNames.Meta);
        if (_end == FlipEnd.Close || !File.Exists(path))
        {
            return;
        }

        byte[] bytes = File.ReadAllBytes(path);
        for (int start = 0; start + MetaSlot.Bytes <= bytes.Length; start += MetaSlot.Bytes)
        {
            if (MetaSlot.TryRead(bytes.AsSpan(start, MetaSlot.Bytes), out MetaSlot? slot, out _) && slot.TableTrusted && slot.BootId != Guid.Empty)
            {
                bool isKill = _end == FlipEnd.Kill;
                MetaSlot settled = slot with { BootId = isKill ? FileProvider.Default.BootOf(directory, Path.Combine(directory, StoreNames.Extents)) : new Guid(1, 2, 3, [4, 5, 6, 7, 8, 9, 10, 11]), FilesFingerprint = isKill ? Fingerprint(directory, slot) : 0 };
                settled.Write(bytes.AsSpan(start));
            }
        }

        File.WriteAllBytes(path, bytes);
    }

    /// <summary>Why the bytes of an object are not what it ever was; null when they are.</summary>
    internal string? Problem(PilePointer pointer, ReadOnlySpan<byte> bytes, bool isOld)
    {
        if (_made.TryGetValue(pointer, out (long Id, int Version) made))
        {
            return Content.IsWhole(bytes, out long id, out int version) && id == made.Id && version <= made.Version ? null : $"it says that it is {id}, version {version}, of {made.Id}, version {made.Version}";
        }

        return isOld || !_read.TryGetValue(pointer, out byte[]? read) || bytes.SequenceEqual(read) ? null : $"{bytes.Length} bytes that it never was";
    }

    private static ulong Fingerprint(string directory, MetaSlot slot)
    {
        FilesFingerprint fingerprint = default;
        IEnumerable<string> extents = Directory.Exists(Path.Combine(directory, StoreNames.Extents)) ? Directory.GetFiles(Path.Combine(directory, StoreNames.Extents)).Order(StringComparer.Ordinal) : [];
        foreach (string path in extents.Prepend(Path.Combine(directory, StoreNames.Meta)).Append(Path.Combine(directory, StoreNames.OfTable(slot.TableFile))).Where(File.Exists))
        {
            using StoreFile file = FileProvider.Default.Open(path, FileOpening.ReadOnly);
            fingerprint.Add(file.Identity);
        }

        return fingerprint.Value;
    }

    private static FuzzOrigin OfGolden(string path)
    {
        var origin = new FuzzOrigin(FuzzImage.Load(path), FlipEnd.Close);
        using ObjectPile pile = ObjectPile.Open(path, Options with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true });
        foreach (PileItem item in pile.Enumerate())
        {
            using PileLease lease = pile.Lease(item.Pointer);
            origin._read.Add(item.Pointer, lease.Bytes.ToArray());
        }

        return origin;
    }

    private static FuzzOrigin Make(string path, PilePromise promise, FlipEnd end)
    {
        var origin = new FuzzOrigin(new FuzzImage(), end);
        using (ObjectPile pile = ObjectPile.Open(path, Options with { OpenMode = PileOpenMode.CreateNew, Promise = promise }))
        {
            origin.Fill(pile, new Random((int)promise));
            if (end != FlipEnd.Close)
            {
                origin.Image = FuzzImage.Load(path);
            }
        }

        if (end == FlipEnd.Close)
        {
            origin.Image = FuzzImage.Load(path);
        }

        return origin;
    }

    private void Fill(ObjectPile pile, Random random)
    {
        for (int id = 1; id <= 60; id++)
        {
            Put(pile, id, random);
        }

        pile.Clear();
        for (int id = 100; id <= 400; id++)
        {
            Put(pile, id, random);
            PilePointer other = _made.Keys.ElementAt(random.Next(60, _made.Count));
            if (id % 7 == 0)
            {
                _ = pile.Delete(other);
            }
            else if (pile.TryUpdate(other, Content.Make(_made[other].Id, _made[other].Version + 1, Size(random))) == PileStatus.Ok)
            {
                _made[other] = (_made[other].Id, _made[other].Version + 1);
            }

            if (id == 250 && pile.Promise() == PilePromise.PowerSafe)
            {
                _ = pile.Durable!.Checkpoints.TryTake(default);
            }
        }

        pile.Roots.Set("first", _made.Keys.First());
        pile.Roots.Set("last", _made.Keys.Last());
        _ = pile.Put(new GoldenTypes.Person { Name = "Ada", Friend = new GoldenTypes.Person { Tags = ["a", "b"] } });
        _ = pile.Compact();
        using (PileBatch batch = pile.BeginBatch())
        {
            for (int id = 1000; id < 1020; id++)
            {
                _made.Add(batch.Put(Content.Make(id, 1, Size(random))), (id, 1));
            }

            batch.Commit();
        }

        pile.Commit();
        pile.Commit();
    }

    private void Put(ObjectPile pile, int id, Random random) => _made.Add(pile.PutBytes(Content.Make(id, 1, Size(random))), (id, 1));

    private static int Size(Random random) => Content.HeaderBytes + random.Next(random.Next(40) == 0 ? 40_000 : 200);
}
