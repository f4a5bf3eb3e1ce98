// The door through which generated code gives the pile its access to a type's fields. A plan whose fields are not exactly
// those that the type has at run time is left aside: the bytes never depend on who wrote them.
using System;
using System.ComponentModel;
using Pile.Codecs;

namespace Pile;

/// <summary>Takes what Pile's source generator wrote. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class PileFieldPlan
{
    /// <summary>Registers the access to a type's fields, before the type is used; a module initializer calls it.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="fields">The names of all instance fields that are kept, base classes first, in the order of metadata.</param>
    /// <param name="write">Writes them.</param>
    /// <param name="read">Reads them.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static void Register<T>(string[] fields, PileFieldsWrite<T> write, PileFieldsRead<T> read)
    {
        ArgumentNullException.ThrowIfNull(fields);
        ArgumentNullException.ThrowIfNull(write);
        ArgumentNullException.ThrowIfNull(read);
        GeneratedFields<T>.Register(new GeneratedFields<T>(fields, write, read));
    }
}
