// The types that a pile may create from stored bytes. A name in bytes never loads a type: it is looked up among those that
// the program put, named in a Get, or added here.
using System;
using Pile.Codecs;

namespace Pile;

/// <summary>The types known to a pile; see <see cref="ObjectPile.Types"/>. Thread-safe.</summary>
/// <remarks>Putting an object makes its type known, and <c>Get&lt;T&gt;</c> makes T known with all that its fields name. Types
/// need to be added only where a pile that outlives the process holds them behind places of type object, an interface or a base
/// class, and no [JsonDerivedType] or [KnownType] on that names them. Known types stay known, and loaded, as long as the pile is reachable.</remarks>
public sealed class PileTypes
{
    private readonly KnownTypes _known;

    internal PileTypes(KnownTypes known) => _known = known;

    /// <summary>Whether <see cref="Close"/> was called.</summary>
    public bool IsClosed => _known.IsClosed;

    /// <summary>Adds a type with everything that its fields name.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <returns>This, for the next call.</returns>
    public PileTypes Add<T>() => Add(typeof(T));

    /// <inheritdoc cref="Add{T}"/>
    /// <param name="type">The type; of a generic type the definition, or one with its arguments.</param>
    public PileTypes Add(Type type)
    {
        ArgumentNullException.ThrowIfNull(type);
        _known.Add(type);
        return this;
    }

    /// <summary>Adds all classes and structs of an assembly.</summary>
    /// <typeparam name="T">Any type of the assembly.</typeparam>
    /// <returns>This, for the next call.</returns>
    public PileTypes AddAssemblyOf<T>()
    {
        _known.AddAssembly(typeof(T).Assembly);
        return this;
    }

    /// <summary>Ends the growth of the set: from now on only types known so far are stored and created; others are a
    /// <see cref="PileUnknownTypeException"/>.</summary>
    public void Close() => _known.Close();
}
