// A file that is there whole or not at all: written under another name, then renamed. What is there already is never replaced.
// What a kill leaves has the other name, and is replaced by the next try.
using System;
using System.IO;

namespace Pile.Tool.Output;

/// <summary>Files of output.</summary>
internal static class NewFile
{
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
    /// <exception cref="IOException">There is one, or it can't be written.</exception>
    internal static T Write<T>(string path, Func<Stream, T> write)
    {
        if (Path.Exists(path))
        {
            throw new IOException($"'{path}' is there already, and is not replaced. Give another name, or remove it.");
        }

        string partial = path + ".partial";
        try
        {
            T written;
            using (FileStream file = new(partial, FileMode.Create, FileAccess.Write))
            {
                written = write(file);
                file.Flush(flushToDisk: true);
            }

            File.Move(partial, path, overwrite: false);
            return written;
        }
        catch
        {
            File.Delete(partial);
            throw;
        }
    }
}
