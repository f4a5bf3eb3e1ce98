// Writes and reads values in the places of a contract: plain MessagePack, as MessagePack-CSharp's standard resolver has it. No tags,
// no references, no schema: who reads it knows the same contract.
// It is not the general codec's Formatter, whose values come back as they were; these come back as the form can say them.
using System;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>A formatter of a type known only at run time. Thread-safe.</summary>
internal abstract class ContractFormatter
{
    /// <summary>Types of the places inside its values.</summary>
    internal virtual IEnumerable<Type> Inner => [];
}

/// <summary>A formatter of T.</summary>
internal abstract class ContractFormatter<T> : ContractFormatter
{
    /// <summary>Writes a value.</summary>
    /// <param name="writer">Where to.</param>
    /// <param name="value">The value.</param>
    /// <param name="depth">Arrays and maps around it.</param>
    internal abstract void Write(WireWriter writer, T value, int depth);

    /// <summary>Reads a value.</summary>
    internal abstract T Read(ref ContractReader reader);

    /// <summary>One level deeper, if there is one.</summary>
    /// <exception cref="PileRefusedException">The value nests too deep; it may contain itself.</exception>
    protected static int Deeper(int depth, object? value) => depth < CodecLimits.NestingMax ? depth + 1 : throw new PileRefusedException(
        $"{TypeName.Display(typeof(T))} nests deeper than {CodecLimits.NestingMax}: a contract keeps no references, so an object that contains itself has no end.", value, "");
}
