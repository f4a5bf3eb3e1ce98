// The one seam to the operating system's file calls on names and directories; StoreFile is its other half, for open files.
// It knows no file by its meaning (PileDirectory does) and retries nothing but interrupted calls.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Source of files. Implementations are thread-safe. Every failure is a <see cref="FileCallException"/>.</summary>
internal abstract class FileProvider
{
    private static readonly FileProvider? _own = OperatingSystem.IsLinux() && Environment.Is64BitProcess && Environment.SystemPageSize <= Limits.OsPageBytes ? new LinuxFiles() : null;

    /// <summary>The provider for this operating system.</summary>
    /// <exception cref="PlatformNotSupportedException">There is none.</exception>
    internal static FileProvider Default => _own ?? throw new PlatformNotSupportedException(
        $"Piles in a directory need 64-bit Linux with pages of 4 KiB; this process is of {RuntimeInformation.RuntimeIdentifier} with pages of {Environment.SystemPageSize:N0} bytes. Piles in memory work here: ObjectPile.Create.");

    /// <summary>Changes with every boot of the machine; <see cref="Guid.Empty"/> when unknown, and then equal to none.</summary>
    internal abstract Guid BootId { get; }

    /// <summary>As <see cref="BootId"/>, for a pile's directory and that of its extents: changes with every mount of what they stand in as well, as far as that is known,
    /// since pages that were not written are lost then too. Its first eight bytes are the boot's.</summary>
    internal virtual Guid BootOf(string directory, string extents) => BootId;

    /// <summary>Creates a directory that only its owner may enter. Its parent must exist, itself must not.</summary>
    internal abstract void CreateDirectory(string path);

    /// <summary>Whether the path leads to a file or directory. A path that can't be followed to its end for lack of permission is a failure.</summary>
    internal abstract bool Exists(string path);

    /// <summary>Which file or directory a path leads to; null where the provider does not say.</summary>
    internal virtual FileIdentity? IdentityOf(string path) => null;

    /// <summary>Names (without the directory's path) of all that is in a directory, in no particular order.</summary>
    internal abstract IReadOnlyList<string> List(string directory);

    /// <summary>Fails unless this process may make and remove names in a directory. Changes nothing.</summary>
    internal abstract void CheckMayChange(string directory);

    /// <summary>Opens a file; a new one can be read by its owner only. Child processes do not inherit it.</summary>
    internal abstract StoreFile Open(string path, FileOpening opening);

    /// <summary>Removes a file's name; it is durable after <see cref="SyncDirectory"/>.</summary>
    internal abstract void Delete(string path);

    /// <summary>Renames a file, replacing one of the new name; atomic, durable after <see cref="SyncDirectory"/>.</summary>
    internal abstract void Rename(string source, string target);

    /// <summary>Returns when names created, renamed and deleted in the directory so far are durable.</summary>
    internal abstract void SyncDirectory(string directory);

    /// <summary>Bytes that this process could still write to the file system that holds the directory.</summary>
    internal abstract long FreeBytes(string directory);

    /// <summary>Bytes of the file system that holds the directory, free or not.</summary>
    internal abstract long TotalBytes(string directory);

    /// <summary>Bytes that a quota of the directory leaves whose end no call tells: a store is a signal then (see <see cref="LinuxQuota"/>). Null where there is none.</summary>
    internal virtual long? QuotaBytes(string directory) => null;
}
