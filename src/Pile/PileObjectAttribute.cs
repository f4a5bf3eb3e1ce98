// Asks Pile's source generator for the access to a type's fields. Nothing has to be marked to be stored; this makes the first
// uses quicker, and all of them where code can't be compiled at run time.
using System;

namespace Pile;

/// <summary>Marks a partial class or struct whose fields are to be written and read by code made when it is compiled. The stored
/// bytes are the same with and without it.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct, Inherited = false)]
public sealed class PileObjectAttribute : Attribute;
