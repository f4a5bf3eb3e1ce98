// Access to the fields of a type as a source generator wrote it, kept by the type itself. It counts only where the type has
// exactly those fields, in that order: else the reflected and emitted plans serve.
using System.Collections.Generic;
using System.Reflection;
using System.Threading;

namespace Pile.Codecs;

/// <summary>Generated access to the fields of T.</summary>
internal sealed class GeneratedFields<T>(string[] names, PileFieldsWrite<T> write, PileFieldsRead<T> read)
{
    private static GeneratedFields<T>? _it;

    internal PileFieldsWrite<T> Write { get; } = write;

    internal PileFieldsRead<T> Read { get; } = read;

    /// <summary>Takes what a module initializer brings; the first one stays.</summary>
    internal static void Register(GeneratedFields<T> fields) => Interlocked.CompareExchange(ref _it, fields, null);

    /// <summary>The generated access, when there is one for exactly these fields.</summary>
    internal static GeneratedFields<T>? For(IReadOnlyList<FieldInfo> fields)
    {
        GeneratedFields<T>? found = Volatile.Read(ref _it);
        return found is not null && found.IsFor(fields) ? found : null;
    }

    private bool IsFor(IReadOnlyList<FieldInfo> fields)
    {
        bool isSame = fields.Count == names.Length;
        for (int index = 0; isSame && index < names.Length; index++)
        {
            isSame = fields[index].Name == names[index];
        }

        return isSame;
    }
}
