// An entry as a scan lists it, or as a read with its version gives it.
// It is a copy: nothing that happens on the server changes it.
using System;

namespace Pile.Client;

/// <summary>An entry.</summary>
/// <param name="Key">Its key.</param>
/// <param name="Value">Its value; empty where only keys were asked for.</param>
public readonly record struct PileClientEntry(ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Value);
