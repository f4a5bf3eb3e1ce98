// The files of a directory that is open for writing, while its path still leads to it. The lock keeps others out of the directory, not of
// its path: once it is renamed, or a link to it is switched, another pile may stand there, in which this one would make, replace and
// remove names. Asked before each call, since no call says so itself; what happens between the two is not seen.
using System;
using System.Collections.Generic;
using System.IO;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>A source of files that fails where a directory is another one than it was. Thread-safe. Paths elsewhere are passed on.</summary>
internal sealed class HeldFiles : FileProvider
{
    private readonly FileProvider _files;
    private readonly (string Path, FileIdentity? Identity) _directory;
    private readonly (string Path, FileIdentity? Identity) _extents;

    private HeldFiles(FileProvider files, string directory, string extents)
    {
        _files = files;
        _directory = (directory, files.IdentityOf(directory));
        _extents = (extents, files.IdentityOf(extents));
    }

    /// <inheritdoc/>
    internal override Guid BootId => _files.BootId;

    /// <inheritdoc/>
    internal override Guid BootOf(string directory, string extents) => _files.BootOf(directory, extents);

    /// <summary>The files of a pile's directory as it is now, which is locked.</summary>
    internal static HeldFiles Of(FileProvider files, string directory) => new(files, directory, Path.Combine(directory, StoreNames.Extents));

    /// <inheritdoc/>
    internal override void CreateDirectory(string path) => For("mkdir", path).CreateDirectory(path);

    /// <inheritdoc/>
    internal override bool Exists(string path) => _files.Exists(path);

    /// <inheritdoc/>
    internal override FileIdentity? IdentityOf(string path) => _files.IdentityOf(path);

    /// <inheritdoc/>
    internal override IReadOnlyList<string> List(string directory) => For("list", directory).List(directory);

    /// <inheritdoc/>
    internal override void CheckMayChange(string directory) => _files.CheckMayChange(directory);

    /// <inheritdoc/>
    internal override StoreFile Open(string path, FileOpening opening) => For("open", path).Open(path, opening);

    /// <inheritdoc/>
    internal override void Delete(string path) => For("unlink", path).Delete(path);

    /// <inheritdoc/>
    internal override void Rename(string source, string target) => For("rename", source).Rename(source, target);

    /// <inheritdoc/>
    internal override void SyncDirectory(string directory) => For("fsync", directory).SyncDirectory(directory);

    /// <inheritdoc/>
    internal override long FreeBytes(string directory) => _files.FreeBytes(directory);

    /// <inheritdoc/>
    internal override long TotalBytes(string directory) => _files.TotalBytes(directory);

    internal override long? QuotaBytes(string directory) => _files.QuotaBytes(directory);

    private FileProvider For(string call, string path)
    {
        if (IsOf(_directory.Path, path))
        {
            Check(_directory, call, path);
            if (IsOf(_extents.Path, path))
            {
                Check(_extents, call, path);
            }
        }

        return _files;
    }

    private static bool IsOf(string directory, string path) =>
        path.StartsWith(directory, StringComparison.Ordinal) && (path.Length == directory.Length || path[directory.Length] == Path.DirectorySeparatorChar);

    private void Check((string Path, FileIdentity? Identity) held, string call, string path)
    {
        if (held.Identity is not null && Now(held.Path) != held.Identity)
        {
            throw new FileCallException(
                call, path, $"'{held.Path}' is not the directory that was opened: it was renamed, removed or replaced since, or a link leads elsewhere. Open the pile where it is now", FileFailure.Other);
        }
    }

    private FileIdentity? Now(string path)
    {
        try
        {
            return _files.IdentityOf(path);
        }
        catch (FileCallException failure) when (failure.Failure is FileFailure.Missing or FileFailure.WrongKind)
        {
            return null;
        }
    }
}
