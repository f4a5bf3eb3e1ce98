// Piles made from exports. A pile takes the tag of the one that was exported, so that its pointers hold, and so it comes into being by
// the import: there is no pile yet that it could be imported into. What fails leaves no pile: in files pile.meta gets its name last.
using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;

namespace Pile;

/// <summary>Imports: every object under the pointer that it had, every root, and the pointers of deleted objects as stale as they were.</summary>
public static class PileImport
{
    /// <summary>Makes a pile in memory from an export.</summary>
    /// <param name="source">The export, from the stream's present position on; nothing behind the export's end is read.</param>
    /// <param name="options">Options, or null for the defaults; with the codecs of types that have one.</param>
    /// <param name="progress">Gets the progress; null for none.</param>
    /// <param name="cancellationToken">Ends the import: there is no pile then.</param>
    /// <returns>The pile; the caller disposes it. Its tag is the exported one's, whichever other pile has it.</returns>
    /// <exception cref="ArgumentException">The stream can't be read, or an option can't be so.</exception>
    /// <exception cref="PileFormatException">The stream is no export, or a newer version's.</exception>
    /// <exception cref="PileCorruptedException">The export is damaged or cut off; the message names the byte.</exception>
    /// <exception cref="PileFullException">The limit leaves no room.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <remarks>The stream is not trusted: every block has a checksum, and every slot, generation, length and count is checked. What an
    /// object's bytes mean is checked when it is read, as always.</remarks>
    public static ObjectPile ToMemory(
        Stream source, PileOptions? options = null, IProgress<PileTransferProgress>? progress = null, CancellationToken cancellationToken = default) =>
        InMemory(ReadOf(source), options ?? new PileOptions(), progress, cancellationToken);

    /// <summary>As <see cref="ToMemory"/>, on a thread of the pool; the stream's <c>ReadAsync</c> is used.</summary>
    /// <inheritdoc cref="ToMemory"/>
    public static Task<ObjectPile> ToMemoryAsync(
        Stream source, PileOptions? options = null, IProgress<PileTransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        Func<Memory<byte>, int> read = ReadAsyncOf(source, cancellationToken);
        return Task.Run(() => InMemory(read, options ?? new PileOptions(), progress, cancellationToken), cancellationToken);
    }

    /// <summary>Makes a pile in files from an export. It is durable when the call returns.</summary>
    /// <param name="source">The export, from the stream's present position on; nothing behind the export's end is read.</param>
    /// <param name="directory">A directory that is missing or empty, or holds what an import left that was killed.</param>
    /// <param name="options">Options, or null for the defaults. Where they name no promise, the pile has the one of the exported pile,
    /// and PowerSafe when that was in memory.</param>
    /// <param name="progress">Gets the progress; null for none.</param>
    /// <param name="cancellationToken">Ends the import. What was written is removed, as after a failure.</param>
    /// <returns>The pile, open; the caller disposes it.</returns>
    /// <exception cref="IOException">The directory holds a pile already, or a call of the files failed.</exception>
    /// <exception cref="PileFormatException">The stream is no export, or a newer version's; or the directory holds something else.</exception>
    /// <exception cref="PileFullException">The device, or <see cref="PileOptions.DiskLimitBytes"/>, leaves no room.</exception>
    /// <exception cref="PilePoisonedException">The device failed.</exception>
    /// <remarks>A process that ends within the call leaves no pile: an open of the directory is refused, an import into it begins anew.</remarks>
    /// <inheritdoc cref="ToMemory"/>
    public static ObjectPile ToDirectory(
        Stream source, string directory, PileOptions? options = null, IProgress<PileTransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        return InFiles(ReadOf(source), directory, options ?? new PileOptions(), progress, cancellationToken);
    }

    /// <summary>As <see cref="ToDirectory"/>, on a thread of the pool; the stream's <c>ReadAsync</c> is used.</summary>
    /// <inheritdoc cref="ToDirectory"/>
    public static Task<ObjectPile> ToDirectoryAsync(
        Stream source, string directory, PileOptions? options = null, IProgress<PileTransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        Func<Memory<byte>, int> read = ReadAsyncOf(source, cancellationToken);
        return Task.Run(() => InFiles(read, directory, options ?? new PileOptions(), progress, cancellationToken), cancellationToken);
    }

    private static ObjectPile InMemory(Func<Memory<byte>, int> read, PileOptions options, IProgress<PileTransferProgress>? progress, CancellationToken cancellationToken)
    {
        options.ValidateForMemory();
        using var source = new ExportReader(read, cancellationToken);
        var header = ExportHeader.Read(source);
        ObjectPile pile = ObjectPile.Create(options with { Origin = OriginOf(header) });
        try
        {
            Place((HeapCore<MemoryRecord>)pile.Core, pile, source, header, progress);
            return pile;
        }
        catch
        {
            pile.Dispose();
            throw;
        }
    }

    private static ObjectPile InFiles(Func<Memory<byte>, int> read, string directory, PileOptions options, IProgress<PileTransferProgress>? progress, CancellationToken cancellationToken)
    {
        options.ValidateForFiles();
        if (options.OpenMode is not (PileOpenMode.OpenOrCreate or PileOpenMode.CreateNew))
        {
            throw new ArgumentException($"OpenMode = {options.OpenMode} is for a pile that is there, and an import makes one. Leave it out.", nameof(options));
        }

        using var source = new ExportReader(read, cancellationToken);
        var header = ExportHeader.Read(source);
        FileProvider files = options.Files ?? FileProvider.Default;
        string path = Path.TrimEndingDirectorySeparator(Path.GetFullPath(directory));
        PilePromise? promise = header.Promise == PilePromise.Memory ? options.Promise : options.Promise ?? header.Promise;
        try
        {
            DirectoryCreation.RemoveUnnamed(files, path);
            return InFiles(files, path, options with { OpenMode = PileOpenMode.CreateNew, Promise = promise, Origin = OriginOf(header) }, source, header, progress);
        }
        catch (FileCallException failure)
        {
            throw DirectoryErrors.For(failure, isOfPile: true);
        }
    }

    private static ObjectPile InFiles(FileProvider files, string path, PileOptions options, ExportReader source, ExportHeader header, IProgress<PileTransferProgress>? progress)
    {
        ObjectPile? pile = null;
        try
        {
            pile = ObjectPile.Open(path, options);
            Place((HeapCore<DurableRecord>)pile.Core, pile, source, header, progress);
            pile.Commit();
            DirectoryCreation.Name(files, path);
            return pile;
        }
        catch
        {
            Drop(files, path, pile);
            throw;
        }
    }

    /// <summary>Removes what an import that failed has written, as well as the device lets it.</summary>
    private static void Drop(FileProvider files, string path, ObjectPile? pile)
    {
        try
        {
            pile?.Dispose();
        }
        catch (IOException)
        {
            // Closed all the same. The failure that ended the import is told.
        }

        try
        {
            DirectoryCreation.RemoveUnnamed(files, path);
        }
        catch (Exception failure) when (failure is FileCallException or PileLockedException)
        {
            // What is left has no pile.meta: no pile, and the next import into the directory removes it.
        }
    }

    private static void Place<TFormat>(HeapCore<TFormat> core, ObjectPile pile, ExportReader source, ExportHeader header, IProgress<PileTransferProgress>? progress)
        where TFormat : struct, IRecordFormat =>
        new HeapImport<TFormat>(
            core, source, header, pile.TypeTable, pile.Roots, (status, bytes) => WriteFailures.Throw(pile, status, default, "Import", bytes)).Run(progress);

    private static PileOrigin OriginOf(ExportHeader header) => new(header.Identity, header.Tag, header.FirstGeneration);

    private static Func<Memory<byte>, int> ReadOf(Stream source)
    {
        RequireReadable(source);
        return bytes => source.Read(bytes.Span);
    }

    private static Func<Memory<byte>, int> ReadAsyncOf(Stream source, CancellationToken cancellationToken)
    {
        RequireReadable(source);
        return bytes => source.ReadAsync(bytes, cancellationToken).AsTask().GetAwaiter().GetResult();
    }

    private static void RequireReadable(Stream source)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (!source.CanRead)
        {
            throw new ArgumentException("The stream can't be read.", nameof(source));
        }
    }
}
