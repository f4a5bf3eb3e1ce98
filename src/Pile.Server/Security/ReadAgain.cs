// What is read from files, and read again when they change. Files are looked at when the value is asked for, and at most once a second: no
// thread waits for them. Files that can't be read when they have changed leave the value from before in use.
using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Threading;

namespace Pile.Server.Security;

/// <summary>A value from files that may change. Thread-safe.</summary>
/// <typeparam name="T">What is read.</typeparam>
internal sealed class ReadAgain<T>
    where T : class
{
    private readonly string[] _paths;
    private readonly Func<T> _read;
    private readonly Action<Exception> _unreadable;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private T _current;
    private string _seen;
    private long _looked;

    /// <summary>Reads the files for the first time.</summary>
    /// <param name="paths">The files.</param>
    /// <param name="read">Reads them. It fails with <see cref="IOException"/>, <see cref="UnauthorizedAccessException"/> or
    /// <see cref="CryptographicException"/>; the first time to the caller.</param>
    /// <param name="unreadable">Is told of each later failure.</param>
    /// <param name="time">The clock.</param>
    internal ReadAgain(string[] paths, Func<T> read, Action<Exception> unreadable, TimeProvider time)
    {
        _paths = paths;
        _read = read;
        _unreadable = unreadable;
        _time = time;
        _seen = State();
        _looked = time.GetTimestamp();
        _current = read();
    }

    /// <summary>The value as the files have it now, or had it a second ago.</summary>
    internal T Current
    {
        get
        {
            lock (_gate)
            {
                if (_time.GetElapsedTime(_looked) >= ServerLimits.FilesLook)
                {
                    _looked = _time.GetTimestamp();
                    LookLocked();
                }

                return _current;
            }
        }
    }

    private void LookLocked()
    {
        try
        {
            string state = State();
            if (state != _seen)
            {
                _current = _read();
                _seen = state;
            }
        }
        catch (Exception failure) when (failure is IOException or CryptographicException or UnauthorizedAccessException)
        {
            // Not seen: files that are being written are looked at again.
            _unreadable(failure);
        }
    }

    private string State() => string.Join(' ', _paths.Select(Target).Select(static file => file.Exists ? $"{file.LastWriteTimeUtc.Ticks} {file.Length}" : "-"));

    // What a link leads to: mounted secrets change by a link further up, and the link itself stays as it is.
    private static FileSystemInfo Link(string path) => new FileInfo(path) is { LinkTarget: not null } link ? link.ResolveLinkTarget(returnFinalTarget: true) ?? link : new FileInfo(path);

    private static FileInfo Target(string path) => new(Link(path).FullName);
}
