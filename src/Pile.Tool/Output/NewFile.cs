// A file that is there whole or not at all: written under another name, then renamed. What is there already is never replaced.
// What a kill leaves has the other name, and is replaced by the next try.
using System.IO;

namespace Pile.Tool.Output;

/// <summary>Files of output.</summary>
internal static class NewFile
{
    /// <summary>Writes a new file.</summary>
    /// <exception cref="IOException">There is one, or it can't be written.</exception>
    internal static void Write(string path, byte[] bytes)
    {
        if (Path.Exists(path))
        {
            throw new IOException($"'{path}' is there already, and is not replaced. Give another name, or remove it.");
        }

        string partial = path + ".partial";
        try
        {
            using (FileStream file = new(partial, FileMode.Create, FileAccess.Write))
            {
                file.Write(bytes);
                file.Flush(flushToDisk: true);
            }

            File.Move(partial, path, overwrite: false);
        }
        catch
        {
            File.Delete(partial);
            throw;
        }
    }
}
