using System;

namespace Pile.Compare.Contestants;

/// <summary>What a workload asks of a contestant; a struct, so that each contestant gets loops of its own. One for each thread.</summary>
internal interface IOperations
{
    /// <summary>Stores bytes as a new object.</summary>
    /// <param name="index">Its number, unused since the last <see cref="IContestant{T}.Clear"/>.</param>
    /// <param name="payload">The bytes, in pinned memory that the caller uses again.</param>
    /// <returns>What finds it: a pointer, or its key.</returns>
    long Put(int index, ReadOnlySpan<byte> payload);

    /// <summary>Replaces an object's bytes by as many others.</summary>
    void Set(long handle, ReadOnlySpan<byte> payload);

    /// <summary>Copies an object's bytes to pinned memory.</summary>
    /// <returns>How many.</returns>
    int Copy(long handle, Span<byte> target);

    /// <summary>Copies a few objects to the same pinned memory, one after the other or as a batch, as the contestant offers it.</summary>
    /// <returns>The sum of their lengths.</returns>
    long CopyMany(ReadOnlySpan<long> handles, Span<byte> target);

    /// <summary>Looks at an object the cheapest way there is: the sum of its first and last byte.</summary>
    long Touch(long handle);
}
