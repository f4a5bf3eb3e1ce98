using System;
using System.IO;
using System.IO.MemoryMappedFiles;

namespace Pile.Bench.Baselines;

/// <summary>A file mapped whole and shared, as a bare loop would use it.</summary>
// SAFETY: _start spans Bytes until Dispose; every member below stays within and none is called after Dispose.
internal sealed unsafe class MappedFile : IDisposable
{
    private readonly FileStream _file;
    private readonly MemoryMappedFile _mapping;
    private readonly MemoryMappedViewAccessor _view;
    private readonly byte* _start;

    // SAFETY: the view spans Bytes and is held until Dispose.
    private MappedFile(FileStream file)
    {
        _file = file;
        Bytes = file.Length;
        MemoryMappedFileAccess access = file.CanWrite ? MemoryMappedFileAccess.ReadWrite : MemoryMappedFileAccess.Read;
        _mapping = MemoryMappedFile.CreateFromFile(file, null, 0, access, HandleInheritability.None, leaveOpen: false);
        _view = _mapping.CreateViewAccessor(0, Bytes, access);
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref _start);
    }

    /// <summary>Maps a new file whose space the device has set aside.</summary>
    internal static MappedFile Preallocated(string path, long bytes)
    {
        var file = new FileStream(path, new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.ReadWrite, PreallocationSize = bytes });
        file.SetLength(bytes);
        return new MappedFile(file);
    }

    /// <summary>Maps a file that is there, for reading; another process may have it open.</summary>
    internal static MappedFile Existing(string path) => new(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));

    /// <summary>Its length.</summary>
    internal long Bytes { get; }

    // SAFETY: the caller keeps within Bytes (RingCopy checks it at its entry).
    internal byte* Start => _start;

    /// <summary>A part of it.</summary>
    // SAFETY: the check keeps the span inside.
    internal ReadOnlySpan<byte> Slice(long offset, int bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(offset + bytes, Bytes);
        return new ReadOnlySpan<byte>(_start + offset, bytes);
    }

    // SAFETY: gives back what the constructor acquired, once.
    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _mapping.Dispose();
        _file.Dispose();
    }
}
