// What a pile is created with. Checked once, at creation; what may change later says so.
// Quantities that no user needs to choose are not options but Limits.
using System;
using Pile.Codecs;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;

namespace Pile;

/// <summary>Options of a pile. A pile copies them when it is created; later changes have no effect on it.</summary>
public sealed record PileOptions
{
    /// <summary>Bytes that the pile may hold outside the GC heap: segments, object table, reserves and free memory together.
    /// At least 1 MiB. Null: three quarters of the memory the process may use (the container's limit, else the machine's).
    /// May be changed later by <see cref="ObjectPile.MemoryLimitBytes"/>. <see cref="ObjectPile.Open"/> refuses it: what of the files is
    /// in memory is the system's business, and what they take on the device is limited by <see cref="DiskLimitBytes"/>.</summary>
    public long? MemoryLimitBytes { get; init; }

    /// <summary>Bytes of segments that the pile takes before <see cref="ObjectPile.Create"/> or <see cref="ObjectPile.Open"/> returns, those that it has already
    /// among them, and does not give back while it is open, however little lives in it; 0, which is none, unless set, and no more than
    /// <see cref="MemoryLimitBytes"/> or <see cref="DiskLimitBytes"/> where that is set. So no Put waits for space or for the system's first pages.
    /// It ends early where the pile's limit or the device has no room for another segment. With them come the
    /// table's entries for objects of 128 bytes, a 16th of it. What else needs memory may have it: large objects, and more of the table, when there is no other room. In a PowerSafe pile space is set aside, and pages come with the records.
    /// What files set aside and nobody wrote to the next open has at once, or gives back to the device, once what lives is counted, where it does not ask for it, but for 8 MiB a file.</summary>
    public long PreallocationBytes { get; init; }

    /// <summary>How much the pile may hold for what lives in it, as a ratio of resident bytes to bytes of live records and their
    /// table entries; 1.05 to 16, 1.2 unless set. Smaller: less memory, more copying under churn.</summary>
    public double UsedOverLive { get; init; } = RoomLimits.UsedOverLiveDefault;

    /// <summary>Whether a background thread cleans ahead of writers and gives memory back. Without it writers clean for themselves
    /// when they must, and memory goes back only by <see cref="ObjectPileCare.Compact(ObjectPile, double, System.Threading.CancellationToken)"/>.</summary>
    public bool BackgroundCleaning { get; init; } = true;

    /// <summary>Whether to ask the operating system for huge pages where segments and table are large enough for them.</summary>
    public bool HugePages { get; init; } = true;

    /// <summary>Writers, each with an open segment of its own; 1 to 1024, the number of cores unless set.</summary>
    public int WritersMax { get; init; } = int.Min(Environment.ProcessorCount, WritersLimit);

    /// <summary>How long <see cref="ObjectPile.Dispose"/> waits for leases and pins, 0 to 1 hour; 5 seconds unless set.</summary>
    public TimeSpan DisposeWait { get; init; } = TimeSpan.FromMilliseconds(Limits.DisposeWaitMs);

    /// <summary>The clock of waits and ages. Waits for readers, leases and pins end by it: under one that stands still a writer without room, or Dispose, waits as long as they stay.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Codecs of the caller's own types, by a number that is stored with each object.</summary>
    public PileCodecs Codecs { get; init; } = new();

    /// <summary>For <see cref="ObjectPile.Open"/>: what may be done with the directory.</summary>
    public PileOpenMode OpenMode { get; init; } = PileOpenMode.OpenOrCreate;

    /// <summary>For <see cref="ObjectPile.Open"/>: the promise of a pile that is created; null is PowerSafe. A pile that exists keeps its
    /// own, and refuses another one that is named here.</summary>
    public PilePromise? Promise { get; init; }

    /// <summary>For <see cref="ObjectPile.Open"/>: bytes that the pile's segments, large objects and table may take on the device, at least 1 MiB. Null: nine tenths
    /// of what is free on the device when the pile is opened, and what the pile has already. A ProcessSafe pile's files take space by 2 MiB: what they keep of segments
    /// that went back, beside one that did not, comes on top until it is used again.</summary>
    public long? DiskLimitBytes { get; init; }

    /// <summary>For <see cref="ObjectPile.Open"/>: bytes that the pile leaves free on the device, 0 or more. Where less would be left it
    /// grows no more and answers Full; what needs no more space goes on. Null: a twentieth of the device, at most 256 MiB. 0: only the
    /// device itself refuses. A quota of a subvolume of Btrfs counts as the device.</summary>
    public long? DiskReserveBytes { get; init; }

    /// <summary>For a PowerSafe pile: how often it flushes by itself; 10 ms to 1 hour, 1 second unless set.</summary>
    public TimeSpan FlushInterval { get; init; } = TimeSpan.FromMilliseconds(FileLimits.FlushIntervalMs);

    /// <summary>For <see cref="ObjectPile.Open"/>: when reads verify checksums.</summary>
    public PileVerifyOnRead VerifyOnRead { get; init; }

    /// <summary>For <see cref="ObjectPile.Open"/>: bytes a second that a thread in the background reads again and verifies, round after
    /// round, so that damage is found before it is needed; 0, which is none, unless set. It reads what nobody asked for: where data
    /// is larger than memory it pushes other data out. See also <see cref="ObjectPileDurability.Scrub"/>.</summary>
    public long ScrubBytesPerSecond { get; init; }

    /// <summary>For <see cref="ObjectPile.Open"/>: whether the pile's files are read into memory ahead of need.</summary>
    public PileWarmUp WarmUp { get; init; }

    /// <summary>For <see cref="ObjectPile.Open"/>: opens a pile although something that it promised to keep may be lost, and says in the
    /// report what is. Without it such a pile is refused.</summary>
    public bool AcceptLoss { get; init; }

    internal const int WritersLimit = 1024;

    /// <summary>What a pile that an import makes has of the exported one; null for others.</summary>
    internal PileOrigin? Origin { get; init; }

    /// <summary>The seam to the operating system's files; null for the platform's own.</summary>
    internal FileProvider? Files { get; init; }

    /// <summary>The seam to the operating system's memory; null for the platform's own.</summary>
    internal RegionProvider? Regions { get; init; }

    /// <summary>Which plans write and read object graphs; for tests that hold them against each other.</summary>
    internal PlanMode Plans { get; init; }

    /// <summary>Whether the table is built from the records, whatever the files say of it: for a salvage.</summary>
    internal bool BuildsTable { get; init; }

    /// <summary>Bytes of flat space that the pile's files take: with less address space it can't be opened.</summary>
    internal long FlatSpaceBytesMin { get; init; }

    /// <summary>The limit that a pile in files reserves flat space for, where it is not its own: that of a cache, which comes later.</summary>
    internal long? FlatSpaceLimitBytes { get; init; }

    /// <summary>Slots that an open counts before it returns, below 0 none: then nobody counts but who waits for it. For tests.</summary>
    internal int RecountSlots { get; init; } = FileLimits.RecountSlots;

    internal int SegmentBytesMin { get; init; } = Limits.SegmentBytesMin;

    internal int SegmentBytesMax { get; init; } = Limits.SegmentBytesMax;

    internal uint SlotsMax { get; init; } = Limits.SlotsMax;

    /// <summary>Small everything, so that a short run crosses every boundary: 64 KiB segments, a writer per core.</summary>
    internal static PileOptions Tiny => new()
    {
        BackgroundCleaning = false,
        SegmentBytesMin = Limits.SegmentBytesMin,
        SegmentBytesMax = Limits.SegmentBytesMin,
        SlotsMax = 1 << 22,
        MemoryLimitBytes = 32 << 20,
    };

    /// <summary>Refuses a limit that is too small for any pile.</summary>
    internal void RefuseLimitBelowMin()
    {
        if (MemoryLimitBytes is < Limits.MemoryLimitMin)
        {
            Throw.Argument(nameof(MemoryLimitBytes), MemoryLimitBytes, $"MemoryLimitBytes must be at least {Limits.MemoryLimitMin:N0} (MemoryLimitMin): a table page, the cleaner's reserve and a segment per writer.");
        }
    }

    /// <summary>Refuses what cannot be, naming the option, the value and the range.</summary>
    internal void Validate()
    {
        RefuseLimitBelowMin();
        if (!(UsedOverLive is >= RoomLimits.UsedOverLiveMin and <= RoomLimits.UsedOverLiveMax))
        {
            Throw.Argument(nameof(UsedOverLive), UsedOverLive, $"UsedOverLive must lie between {RoomLimits.UsedOverLiveMin} (UsedOverLiveMin) and {RoomLimits.UsedOverLiveMax} (UsedOverLiveMax).");
        }

        if (WritersMax is < 1 or > WritersLimit)
        {
            Throw.Argument(nameof(WritersMax), WritersMax, $"WritersMax must lie between 1 and {WritersLimit}.");
        }

        if (DiskLimitBytes is { } diskLimitBytes)
        {
            Check.LimitBytes(diskLimitBytes, nameof(DiskLimitBytes));
        }

        if (DiskReserveBytes is < 0)
        {
            Throw.Argument(nameof(DiskReserveBytes), DiskReserveBytes, "DiskReserveBytes must be 0 or more: bytes that stay free on the device.");
        }

        if (PreallocationBytes < 0 || PreallocationBytes > (MemoryLimitBytes ?? DiskLimitBytes ?? long.MaxValue))
        {
            Throw.Argument(nameof(PreallocationBytes), PreallocationBytes, $"PreallocationBytes must be 0, for none, or above, and no more than the pile may hold ({(MemoryLimitBytes is { } memory ? $"MemoryLimitBytes = {memory:N0}" : DiskLimitBytes is { } disk ? $"DiskLimitBytes = {disk:N0}" : "MemoryLimitBytes, or DiskLimitBytes of files, where it is set")}).");
        }

        RefuseUnknown(nameof(OpenMode), OpenMode, OpenMode is >= PileOpenMode.OpenOrCreate and <= PileOpenMode.ReadOnly);
        RefuseUnknown(nameof(Promise), Promise ?? default, Promise is null or (>= PilePromise.Memory and <= PilePromise.PowerSafe));
        RefuseUnknown(nameof(VerifyOnRead), VerifyOnRead, VerifyOnRead is >= PileVerifyOnRead.FirstTouch and <= PileVerifyOnRead.Never);
        if (FlushInterval < TimeSpan.FromMilliseconds(10) || FlushInterval > TimeSpan.FromHours(1))
        {
            Throw.Argument(nameof(FlushInterval), FlushInterval, "FlushInterval must lie between 10 ms and 1 hour.");
        }

        if (ScrubBytesPerSecond < 0)
        {
            Throw.Argument(nameof(ScrubBytesPerSecond), ScrubBytesPerSecond, "ScrubBytesPerSecond must be 0, for none, or above.");
        }

        if (WarmUp is < PileWarmUp.None or > PileWarmUp.Blocking)
        {
            Throw.Argument(nameof(WarmUp), WarmUp, "WarmUp must be one of the values of PileWarmUp.");
        }

        if (DisposeWait < TimeSpan.Zero || DisposeWait > TimeSpan.FromHours(1))
        {
            Throw.Argument(nameof(DisposeWait), DisposeWait, "DisposeWait must lie between 0 and 1 hour.");
        }

        ArgumentNullException.ThrowIfNull(TimeProvider);
        ArgumentNullException.ThrowIfNull(Codecs);
    }

    /// <summary>Refuses what <see cref="ObjectPile.Create"/> would refuse, and creates nothing: values out of range, and a promise, a way to open
    /// or a limit of the device that only files can have, because it would not happen and nobody would know. The other options of files mean nothing in memory.</summary>
    /// <exception cref="ArgumentException">An option can't be so; its name is the exception's parameter name.</exception>
    public void ValidateForMemory()
    {
        Validate();
        RefuseWhere(Promise is not (null or PilePromise.Memory), nameof(Promise), Promise, "a pile in memory promises nothing after the end of the process");
        RefuseWhere(OpenMode is PileOpenMode.OpenExisting or PileOpenMode.ReadOnly, nameof(OpenMode), OpenMode, "a pile in memory is always created");
        RefuseWhere(DiskLimitBytes is not null, nameof(DiskLimitBytes), DiskLimitBytes, "MemoryLimitBytes limits a pile in memory");
        RefuseWhere(DiskReserveBytes is not null, nameof(DiskReserveBytes), DiskReserveBytes, "a pile in memory has no device");
    }

    /// <summary>Refuses what <see cref="ObjectPile.Open"/> would refuse of the options alone, and opens nothing: values out of range, and
    /// what only memory can do.</summary>
    /// <exception cref="ArgumentException">An option can't be so; its name is the exception's parameter name.</exception>
    public void ValidateForFiles()
    {
        Validate();
        if (Promise == PilePromise.Memory)
        {
            throw new ArgumentException($"Promise = {PilePromise.Memory} is for piles without files: ObjectPile.Create makes one. A directory is {PilePromise.ProcessSafe} or {PilePromise.PowerSafe}.", nameof(Promise));
        }

        if (MemoryLimitBytes is { } limit)
        {
            throw new ArgumentException($"MemoryLimitBytes = {limit:N0} is for piles without files: what of the files is in memory is the system's business. Give DiskLimitBytes to limit what they take on the device.", nameof(MemoryLimitBytes));
        }
    }

    // Told whether it is known: an open would wait for the JIT to compile Enum.IsDefined for each type.
    private static void RefuseUnknown<TOption>(string name, TOption value, bool isKnown)
        where TOption : struct, Enum
    {
        if (!isKnown)
        {
            Throw.Argument(name, value, $"{name} must be one of {string.Join(", ", Enum.GetNames<TOption>())}.");
        }
    }

    private static void RefuseWhere(bool isWrong, string name, object? value, string why)
    {
        if (isWrong)
        {
            throw new ArgumentException($"{name} = {value} is for piles in files, and ObjectPile.Create makes none: {why}. Leave it out, or use ObjectPile.Open.", name);
        }
    }
}
