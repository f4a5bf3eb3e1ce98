using System;
using System.Collections.Generic;
using Pile.Memory;

namespace Pile.Bench.Mapped;

/// <summary>The system's files as after a start of the machine: an open must take what was not closed in order for cut by a loss of
/// power. All bytes are there all the same.</summary>
internal sealed class OtherBoot(FileProvider files) : FileProvider
{
    internal override Guid BootId { get; } = Guid.NewGuid();

    internal override void CreateDirectory(string path) => files.CreateDirectory(path);

    internal override bool Exists(string path) => files.Exists(path);

    internal override IReadOnlyList<string> List(string directory) => files.List(directory);

    internal override void CheckMayChange(string directory) => files.CheckMayChange(directory);

    internal override StoreFile Open(string path, FileOpening opening) => files.Open(path, opening);

    internal override void Delete(string path) => files.Delete(path);

    internal override void Rename(string source, string target) => files.Rename(source, target);

    internal override void SyncDirectory(string directory) => files.SyncDirectory(directory);

    internal override long FreeBytes(string directory) => files.FreeBytes(directory);

    internal override long TotalBytes(string directory) => files.TotalBytes(directory);
}
