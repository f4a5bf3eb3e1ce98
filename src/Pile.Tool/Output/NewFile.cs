// A file that is there whole or not at all: written under another name, then renamed. What is there already is never replaced.
// What a kill leaves has the other name, and is replaced by the next try; of two runs at once the second is refused.
using System;
using System.IO;
using Pile.Tool.Running;

namespace Pile.Tool.Output;

/// <summary>Files of output.</summary>
internal static class NewFile
{
    // EWOULDBLOCK of Linux, as the runtime passes it on from flock.
    private const int WouldBlock = 11;

    /// <summary>Writes a new file of given bytes.</summary>
    /// <inheritdoc cref="Write{T}"/>
    internal static void Write(string path, byte[] bytes) => _ = Write(path, file =>
    {
        file.Write(bytes);
        return bytes.Length;
    });

    /// <summary>Writes a new file.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="write">Writes its content.</param>
    /// <exception cref="IOException">There is one, or it lies within a pile, or can't be written.</exception>
    /// <exception cref="ToolException">Its directory is missing or refuses it, or another run writes it.</exception>
    internal static T Write<T>(string path, Func<Stream, T> write)
    {
        if (Path.Exists(path))
        {
            throw ThereAlready(path);
        }

        RequireOutside(path);
        string partial = path + ".partial";
        using FileStream file = Open(path, partial);
        bool isOwn = false;
        try
        {
            if (Path.Exists(path))
            {
                // Another run was done with it between the look above and the open: what was opened may be that run's file.
                throw ThereAlready(path);
            }

            isOwn = true;
            file.SetLength(0);
            T written = write(file);
            file.Flush(flushToDisk: true);
            File.Move(partial, path, overwrite: false);
            return written;
        }
        catch
        {
            // An empty one was made by the open.
            if (isOwn || file.Length == 0)
            {
                File.Delete(partial);
            }

            throw;
        }
    }

    /// <summary>Opens the file under its other name, and keeps other runs out until it has the right one. Nothing of what stands in it is changed.</summary>
    private static FileStream Open(string path, string partial)
    {
        try
        {
            return new FileStream(partial, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (DirectoryNotFoundException)
        {
            throw new ToolException(ExitCode.Failed, $"'{path}' can't be written: there is no directory '{Path.GetDirectoryName(Path.GetFullPath(path))}'. Make it, or give another name.");
        }
        catch (UnauthorizedAccessException)
        {
            throw new ToolException(ExitCode.Failed, $"'{path}' can't be written: '{Path.GetDirectoryName(Path.GetFullPath(path))}', or '{partial}' in it, takes no file of this user. Give another name, or change the rights.");
        }
        catch (IOException failure) when (failure.HResult == WouldBlock)
        {
            throw new ToolException(ExitCode.Failed, $"'{path}' is being written by another process, which has '{partial}' open. Wait for its end, or give another name.");
        }
    }

    // Whoever removes that pile, or moves it, would take the file along.
    private static void RequireOutside(string path)
    {
        for (string? above = Path.GetDirectoryName(Path.GetFullPath(path)); above is not null; above = Path.GetDirectoryName(above))
        {
            if (PileInspection.IsPile(above))
            {
                throw new IOException($"'{path}' lies within '{above}', which is a pile: its directory holds nothing but its own files. Give a name outside. Nothing was written.");
            }
        }
    }

    private static IOException ThereAlready(string path) => new($"'{path}' is there already, and is not replaced. Give another name, or remove it.");
}
