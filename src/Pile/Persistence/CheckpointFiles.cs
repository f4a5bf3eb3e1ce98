// The checkpoint files in a pile's directory: one is written whole before meta names it, read by a crawl, removed when meta names
// another. An accelerator only: one that can't be used costs time and nothing else.
using System.IO;
using Pile.Format;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>Files of checkpoints.</summary>
/// <param name="files">Source of files.</param>
/// <param name="directory">The pile's directory, with its full path.</param>
/// <param name="meta">What holds.</param>
internal readonly struct CheckpointFiles(FileProvider files, string directory, MetaSlot meta)
{
    /// <summary>Begins a file, whose bytes may be written in any order; it counts once meta names it.</summary>
    internal StoreFile Create(uint number)
    {
        string path = InDirectory(StoreNames.OfCheckpoint(number));
        if (files.Exists(path))
        {
            files.Delete(path);
        }

        return files.Open(path, FileOpening.CreateNew);
    }

    /// <summary>Makes a file durable with its name.</summary>
    internal void Complete(StoreFile file)
    {
        file.Sync();
        files.SyncDirectory(directory);
    }

    /// <summary>Opens the checkpoint that meta names, and checks everything but its entries.</summary>
    /// <param name="checkpoint">It, or null when meta names none.</param>
    /// <param name="problem">Why the one that meta names can't be used, or null.</param>
    internal void Open(out Checkpoint? checkpoint, out string? problem)
    {
        checkpoint = null;
        problem = null;
        if (meta.CheckpointFile == 0)
        {
            return;
        }

        StoreFile? file = null;
        try
        {
            file = files.Open(InDirectory(StoreNames.OfCheckpoint(meta.CheckpointFile)), FileOpening.ReadOnly);
            problem = Problem(file, out CheckpointHeader? header);
            checkpoint = problem is null ? new Checkpoint(file, header!) : null;
            problem = problem is null ? null : $"'{file.Path}': {problem}";
        }
        catch (IOException failure)
        {
            problem = failure.Message;
        }
        finally
        {
            if (checkpoint is null)
            {
                file?.Dispose();
            }
        }
    }

    /// <summary>Removes checkpoints that meta does not name. One that stays takes room and is never read; the next call tries again.</summary>
    /// <returns>False when one stays.</returns>
    internal bool TryDeleteOthers() => SideFiles.TryDeleteOthers(files, directory, StoreNames.IsCheckpoint, meta.CheckpointFile);

    private string? Problem(StoreFile file, out CheckpointHeader? header)
    {
        header = null;
        byte[] block = new byte[CheckpointHeader.BlockBytes];
        file.Read(0, block);
        if (!CheckpointHeader.TryReadBlock(block, (long)meta.ExtentRows * ExtentHeader.SegmentsMax, out long bytes, out string? problem))
        {
            return problem;
        }

        if (file.Bytes < bytes)
        {
            return $"it has {file.Bytes} bytes, and its lists alone take {bytes}";
        }

        byte[] all = new byte[bytes];
        file.Read(0, all);
        return !CheckpointHeader.TryRead(all, out header, out problem) ? problem
            : header.Identity != meta.Identity || header.Number != meta.CheckpointFile ? "it belongs to another pile, or is a copy of another checkpoint"
            : file.Bytes < header.FileBytes ? $"it has {file.Bytes} bytes instead of {header.FileBytes}"
            : null;
    }

    private string InDirectory(string name) => Path.Combine(directory, name);
}
