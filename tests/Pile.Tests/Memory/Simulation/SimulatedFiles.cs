using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Tests.Memory.Simulation;

/// <summary>Files of a machine that can be killed and cut off its power. What is synced stays; of the rest a cut leaves, for each
/// 512-byte sector, the synced state or any that <see cref="Snapshot"/> or the cut itself saw, and any of the lengths and names.
/// Mapped files are real mappings of memory, of the shipped code; only what a device would keep is simulated.</summary>
internal sealed class SimulatedFiles : FileProvider, IDisposable
{
    private readonly SimulatedDirectory _root;
    private readonly int _boot;
    private ulong _inodes;
    private int _failAt = int.MaxValue;
    private FileFailure _failure;
    private bool _failsForEver;
    private int _killAt = int.MaxValue;

    internal SimulatedFiles()
        : this(new SimulatedDirectory(), boot: 1, inodes: 1)
    {
    }

    private SimulatedFiles(SimulatedDirectory root, int boot, ulong inodes)
    {
        _root = root;
        _boot = boot;
        _inodes = inodes;
    }

    /// <summary>Held by every call.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>Files that this process has open.</summary>
    internal int OpenHandles { get; set; }

    /// <summary>Calls so far that could have failed.</summary>
    internal int Calls { get; private set; }

    /// <summary>The last of them, with its path.</summary>
    internal string LastCall { get; private set; } = string.Empty;

    /// <summary>Is called in the midst of each call, with what <see cref="LastCall"/> says: for what others do meanwhile.</summary>
    internal Action<string>? AtCall { get; set; }

    /// <summary>Whether the process was killed: no call does anything any more.</summary>
    internal bool IsKilled { get; private set; }

    /// <summary>Space of the device.</summary>
    internal long CapacityBytes { get; set; } = long.MaxValue;

    /// <summary>Whether <see cref="Snapshot"/> is called before each call.</summary>
    internal bool SnapshotsAtCalls { get; set; }

    /// <summary>A directory in which nobody may make or remove names.</summary>
    internal string? Denied { get; set; }

    /// <summary>Device number, another at each boot.</summary>
    internal ulong Device => (ulong)_boot;

    internal override Guid BootId => new(_boot, 0, 0, new byte[8]);

    /// <summary>Lets the <paramref name="call"/>-th call from the beginning on fail, or that and all after it.</summary>
    internal void FailAt(int call, FileFailure failure, bool forEver = false)
    {
        _failAt = call;
        _failure = failure;
        _failsForEver = forEver;
    }

    /// <summary>Kills the process before the <paramref name="call"/>-th call from the beginning on.</summary>
    internal void KillAt(int call) => _killAt = call;

    /// <summary>Notes what every file holds now, for later cuts.</summary>
    internal void Snapshot()
    {
        lock (Gate)
        {
            SnapshotLocked();
        }
    }

    /// <summary>Kills the process: its locks are given up, what it stored stays, what it maps it may not touch any more.</summary>
    /// <returns>The same files for the next process.</returns>
    internal SimulatedFiles Kill()
    {
        lock (Gate)
        {
            IsKilled = true;
            foreach (SimulatedFile file in _root.Files())
            {
                file.Lockers = 0;
            }

            return new SimulatedFiles(_root, _boot, _inodes) { CapacityBytes = CapacityBytes };
        }
    }

    /// <summary>The files as the next process of this boot finds them when the present one is killed now. Other than after
    /// <see cref="Kill"/> this machine goes on, so that what has the files open can be ended in order.</summary>
    internal SimulatedFiles Fork()
    {
        lock (Gate)
        {
            return new SimulatedFiles(_root.Fork([]), _boot, _inodes) { CapacityBytes = CapacityBytes };
        }
    }

    /// <summary>Lets pages of failed syncs, which the system takes for written, leave its memory: what is read from here on is what the device has of them.</summary>
    internal void Reread(Random random)
    {
        var choice = new RandomChoice(random);
        lock (Gate)
        {
            foreach (SimulatedFile file in _root.Files())
            {
                file.Reread(choice);
            }
        }
    }

    /// <summary>What the device holds after a power cut now. This machine goes on: it can be cut again.</summary>
    internal SimulatedFiles PowerCut(Random random) => Cut(new RandomChoice(random));

    /// <summary>All that a power cut now may leave. Nothing may be stored meanwhile.</summary>
    /// <param name="most">More are an error: the run is not a small one.</param>
    internal IEnumerable<SimulatedFiles> EnumerateCuts(int most)
    {
        var choice = new EnumeratedChoice();
        int count = 0;
        do
        {
            yield return count++ < most ? Cut(choice) : throw new InvalidOperationException($"There are more than {most} cuts.");
        }
        while (choice.TryAdvance());
    }

    /// <summary>A sum of all that is durable: two machines with the same one go on alike after a cut.</summary>
    internal string DurableSum()
    {
        using var sum = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        lock (Gate)
        {
            _root.AddTo(sum);
        }

        return Convert.ToHexString(sum.GetHashAndReset());
    }

    /// <summary>Removes a directory of whose files nobody has one open, for good. The caller holds the gate.</summary>
    internal void Forget(string directory)
    {
        (SimulatedDirectory parent, string name) = ParentOf("rmdir", directory);
        parent.Forget(name);
    }

    /// <summary>Ends the simulation. Files must not be mapped any more.</summary>
    public void Dispose()
    {
        foreach (SimulatedFile file in _root.Files())
        {
            file.Dispose();
        }
    }

    internal override void CreateDirectory(string path)
    {
        lock (Gate)
        {
            Enter("mkdir", path);
            (SimulatedDirectory parent, string name) = ParentOf("mkdir", path);
            if (!parent.Names.ContainsKey(name))
            {
                parent.Add(name, new SimulatedDirectory());
                return;
            }

            throw new FileCallException("mkdir", path, "it exists", FileFailure.Exists);
        }
    }

    internal override bool Exists(string path)
    {
        lock (Gate)
        {
            Enter("exists", path);
            return Find("exists", path) is not null;
        }
    }

    internal override IReadOnlyList<string> List(string directory)
    {
        lock (Gate)
        {
            Enter("list", directory);
            return [.. DirectoryAt("list", directory).Names.Keys];
        }
    }

    internal override void CheckMayChange(string directory)
    {
        lock (Gate)
        {
            Enter("access", directory);
            _ = DirectoryAt("access", directory);
            if (directory == Denied)
            {
                throw new FileCallException("access", directory, "the test wants it so", FileFailure.Denied);
            }
        }
    }

    internal override StoreFile Open(string path, FileOpening opening)
    {
        lock (Gate)
        {
            Enter("open", path);
            SimulatedNode? node = Find("open", path);
            if (opening == FileOpening.CreateNew)
            {
                if (node is not null)
                {
                    throw new FileCallException("open", path, "it exists", FileFailure.Exists);
                }

                (SimulatedDirectory parent, string name) = ParentOf("open", path);
                node = new SimulatedFile(++_inodes);
                parent.Add(name, node);
            }

            return node switch
            {
                SimulatedFile file => SimulatedHandle.Open(this, file, path, opening == FileOpening.ReadOnly),
                null => throw Missing("open", path),
                _ => throw new FileCallException("open", path, "it is a directory", FileFailure.WrongKind),
            };
        }
    }

    internal override void Delete(string path)
    {
        lock (Gate)
        {
            Enter("unlink", path);
            (SimulatedDirectory parent, string name) = ParentOf("unlink", path);
            parent.Remove(parent.Names.ContainsKey(name) ? name : throw Missing("unlink", path));
        }
    }

    internal override void Rename(string source, string target)
    {
        lock (Gate)
        {
            Enter("rename", source);
            (SimulatedDirectory from, string name) = ParentOf("rename", source);
            (SimulatedDirectory to, string newName) = ParentOf("rename", target);
            if (from != to)
            {
                throw new FileCallException("rename", source, "the simulation renames within a directory only", FileFailure.Other);
            }

            from.Rename(from.Names.ContainsKey(name) ? name : throw Missing("rename", source), newName);
        }
    }

    internal override void SyncDirectory(string directory)
    {
        lock (Gate)
        {
            Enter("fsync", directory);
            DirectoryAt("fsync", directory).Sync();
        }
    }

    internal override long FreeBytes(string directory)
    {
        lock (Gate)
        {
            Enter("statfs", directory);
            _ = DirectoryAt("statfs", directory);
            return FreeBytesLocked();
        }
    }

    internal override long TotalBytes(string directory)
    {
        lock (Gate)
        {
            Enter("statfs", directory);
            _ = DirectoryAt("statfs", directory);
            return CapacityBytes;
        }
    }

    /// <summary>Counts a call, and lets it fail if it is to. The caller holds the gate.</summary>
    internal void Enter(string call, string path)
    {
        int number = ++Calls;
        LastCall = $"{call} {path}";
        IsKilled |= number >= _killAt;
        if (IsKilled)
        {
            throw new SimulatedKillException($"{call} of '{path}'");
        }

        if (number == _failAt || (_failsForEver && number > _failAt))
        {
            throw new FileCallException(call, path, "the test wants it so", _failure);
        }

        if (SnapshotsAtCalls)
        {
            SnapshotLocked();
        }

        AtCall?.Invoke(LastCall);
    }

    /// <summary>Takes space for a stretch of a file. The caller holds the gate.</summary>
    internal void Take(SimulatedFile file, long offset, long bytes, string call, string path)
    {
        long missingBytes = (long)file.Missing(offset, bytes) * Limits.OsPageBytes;
        if (missingBytes > 0 && CapacityBytes != long.MaxValue && missingBytes > FreeBytesLocked())
        {
            throw new FileCallException(call, path, "the device is full", FileFailure.NoSpace);
        }

        file.Allocate(offset, bytes);
    }

    private static FileCallException Missing(string call, string path) => new(call, path, "there is no such file or directory", FileFailure.Missing);

    private SimulatedFiles Cut(CutChoice choice)
    {
        lock (Gate)
        {
            SnapshotLocked();
            return new SimulatedFiles(_root.Cut(choice, []), _boot + 1, _inodes) { CapacityBytes = CapacityBytes };
        }
    }

    private void SnapshotLocked()
    {
        foreach (SimulatedFile file in _root.Files())
        {
            file.Snapshot();
        }
    }

    private long FreeBytesLocked()
    {
        long free = CapacityBytes;
        foreach (SimulatedFile file in _root.Files())
        {
            free -= (long)file.AllocatedPages * Limits.OsPageBytes;
        }

        return free;
    }

    internal SimulatedDirectory DirectoryAt(string call, string path) => Find(call, path) switch
    {
        SimulatedDirectory directory => directory,
        null => throw Missing(call, path),
        _ => throw new FileCallException(call, path, "it is not a directory", FileFailure.WrongKind),
    };

    private (SimulatedDirectory Parent, string Name) ParentOf(string call, string path)
    {
        int slash = path.LastIndexOf('/');
        return (DirectoryAt(call, path[..slash]), path[(slash + 1)..]);
    }

    private SimulatedNode? Find(string call, string path)
    {
        SimulatedNode node = _root;
        foreach (string name in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            if (node is not SimulatedDirectory directory)
            {
                throw new FileCallException(call, path, "a part of it is not a directory", FileFailure.WrongKind);
            }

            if (!directory.Names.TryGetValue(name, out SimulatedNode? next))
            {
                return null;
            }

            node = next;
        }

        return node;
    }
}
