// What a directory says of the pile in it without its being opened: for tools, and for a look at a pile that another process has
// open. Headers and the table are read, no record; nothing is changed, locked or recovered.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using Pile.Persistence;

namespace Pile;

/// <summary>A look at a pile's directory from outside.</summary>
/// <remarks>Of a pile that is open the figures are of slightly different moments.</remarks>
public sealed record PileInspection
{
    /// <summary>The directory, by its full path.</summary>
    public required string Directory { get; init; }

    /// <summary>The pile's identity: random, the same in all of its files and in its copies.</summary>
    public required long Identity { get; init; }

    /// <summary>Version of the layouts of its files.</summary>
    public required int FormatVersion { get; init; }

    /// <summary>When it was created, in UTC.</summary>
    public required DateTime Created { get; init; }

    /// <summary>What survives.</summary>
    public required PilePromise Promise { get; init; }

    /// <summary>The tag of its pointers, 128 to 255.</summary>
    public required byte Tag { get; init; }

    /// <summary>Whether it was closed in order: the next open is <see cref="PileOpening.Clean"/> if nothing is damaged. Where the device had no
    /// room for the checksums of its table, <see cref="PileOpening.RolledForward"/>, or after a boot <see cref="PileOpening.Crawled"/>.</summary>
    public required bool IsClosed { get; init; }

    /// <summary>Whether its table counts though it has no checksums, because its process ended in this boot of the machine, or closed it on a
    /// device without room for them: an open for writing rolls forward and need not read all records.</summary>
    public required bool IsTableTrusted { get; init; }

    /// <summary>Id of the process that has it open for writing; 0 when none has. Readers are not known.</summary>
    public required int WriterProcessId { get; init; }

    /// <summary>As <see cref="PileRecoveryReport.Recoveries"/>.</summary>
    public required long Recoveries { get; init; }

    /// <summary>How often a loss was accepted (<see cref="PileOptions.AcceptLoss"/>).</summary>
    public required long LossesAccepted { get; init; }

    /// <summary>Slots ever issued, as its table says; null where there is none that can be read.</summary>
    public long? SlotsIssued { get; init; }

    /// <summary>Objects alive, as its table says; null unless the pile was closed in order.</summary>
    public long? Objects { get; init; }

    /// <summary>Segments that hold something.</summary>
    public int Segments { get; init; }

    /// <summary>Their bytes.</summary>
    public long SegmentBytes { get; init; }

    /// <summary>What is in the directory, by name.</summary>
    public IReadOnlyList<PileFile> Files { get; init; } = [];

    /// <summary>What of the files' headers is damaged, missing or not this pile's, and what that means.</summary>
    public IReadOnlyList<PileDamageReport> Damages { get; init; } = [];

    /// <summary>Whether a directory holds a pile, good or damaged: it has the file that every pile has from its beginning.</summary>
    /// <param name="directory">The directory; it need not exist.</param>
    /// <remarks>Costs a look at one name. Thread-safe. False too where that can't be seen.</remarks>
    public static bool IsPile(string directory)
    {
        ArgumentNullException.ThrowIfNull(directory);
        return File.Exists(Path.Combine(directory, StoreNames.Meta));
    }

    /// <summary>Looks at a directory.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="cancellationToken">Ends the reading of a large table.</param>
    /// <exception cref="DirectoryNotFoundException">There is no directory.</exception>
    /// <exception cref="FileNotFoundException">The directory holds no pile.</exception>
    /// <exception cref="PileFormatException">What is there is no pile, or a newer version's, or its <c>pile.meta</c> can't be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The directory or a file may not be read.</exception>
    /// <exception cref="IOException">A file call failed.</exception>
    /// <exception cref="PlatformNotSupportedException">Not 64-bit Linux with pages of 4 KiB.</exception>
    /// <remarks>Costs the reading of some pages, and of the table (8 bytes a slot) where the pile was closed in order. Thread-safe.</remarks>
    public static PileInspection Of(string directory, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        return new Inspector(Memory.FileProvider.Default, Memory.RegionProvider.Default, directory).Run(cancellationToken);
    }
}
