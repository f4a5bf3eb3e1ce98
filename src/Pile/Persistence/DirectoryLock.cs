// Who has a directory open: the file `lock`, locked exclusively by the one writer or shared by readers. The kernel gives the
// lock up when the process ends, however it ends. The writer's process id stands in the file, for the message to others only.
using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>A held lock.</summary>
internal sealed class DirectoryLock : IDisposable
{
    private readonly StoreFile _file;
    private readonly bool _isShared;

    private DirectoryLock(StoreFile file, bool isShared)
    {
        _file = file;
        _isShared = isShared;
    }

    /// <summary>Takes the lock.</summary>
    /// <param name="files">Source of files.</param>
    /// <param name="directory">The pile's directory, with its full path.</param>
    /// <param name="shared">Whether to lock as a reader, who writes nothing and needs the file to be there.</param>
    /// <exception cref="PileLockedException">Someone has the directory open, in this process or another.</exception>
    internal static DirectoryLock Take(FileProvider files, string directory, bool shared)
    {
        string path = Path.Combine(directory, StoreNames.Lock);
        StoreFile file = shared ? files.Open(path, FileOpening.ReadOnly) : OpenOrCreate(files, path);
        try
        {
            if (!file.TryLock(shared))
            {
                throw Refusal(directory, OwnerOf(file));
            }

            var taken = new DirectoryLock(file, shared);
            taken.Say(Environment.ProcessId);
            return taken;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>The process that has a directory open for writing, as far as that can be told without taking part; 0 for none.</summary>
    internal static int WriterOf(FileProvider files, string directory)
    {
        try
        {
            using StoreFile file = files.Open(Path.Combine(directory, StoreNames.Lock), FileOpening.ReadOnly);
            int owner = OwnerOf(file);

            // A living process may have the id of one that was killed: it is the lock that says. Asked for only then, so that
            // nobody who opens the pile at this moment is refused for a question.
            return owner != 0 && !file.TryLock(shared: true) ? owner : 0;
        }
        catch (FileCallException)
        {
            return 0;
        }
    }

    /// <summary>What an open is refused by that took a lock which is not the one of who has the directory open.</summary>
    internal static PileLockedException RefusalOfRemoved(string directory) => new(
        $"'{directory}' is open already, in this process or one that can't be named: its file '{StoreNames.Lock}' was removed since. Close it there first. Nothing was changed.", directory, 0);

    /// <summary>Gives the lock up.</summary>
    public void Dispose()
    {
        try
        {
            Say(0);
        }
        catch (FileCallException)
        {
            // A stale id is harmless: whoever reads it looks whether that process lives.
        }
        finally
        {
            _file.Dispose();
        }
    }

    private static StoreFile OpenOrCreate(FileProvider files, string path)
    {
        while (true)
        {
            try
            {
                return files.Open(path, FileOpening.OpenExisting);
            }
            catch (FileCallException failure) when (failure.Failure == FileFailure.Missing)
            {
            }

            try
            {
                return files.Open(path, FileOpening.CreateNew);
            }
            catch (FileCallException failure) when (failure.Failure == FileFailure.Exists)
            {
            }
        }
    }

    private void Say(int processId)
    {
        if (!_isShared)
        {
            Span<byte> bytes = stackalloc byte[sizeof(long)];
            BinaryPrimitives.WriteInt64LittleEndian(bytes, processId);
            _file.Write(0, bytes);
        }
    }

    /// <summary>The living process that the file names, or 0.</summary>
    private static int OwnerOf(StoreFile file)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        try
        {
            file.Read(0, bytes);
            int id = (int)BinaryPrimitives.ReadInt64LittleEndian(bytes);
            if (id > 0)
            {
                Process.GetProcessById(id).Dispose();
                return id;
            }
        }
        catch (Exception failure) when (failure is EndOfStreamException or ArgumentException)
        {
        }

        return 0;
    }

    private static PileLockedException Refusal(string directory, int owner)
    {
        string who = owner == Environment.ProcessId ? $"in this process ({owner}). Use that pile, or dispose it first; one that was only forgotten stays open until the process ends"
            : owner != 0 ? $"in process {owner}. Close it there first"
            : "in processes that read it, or one that can't be named. Close it there first";
        return new PileLockedException($"'{directory}' is open already, {who}.", directory, owner);
    }
}
