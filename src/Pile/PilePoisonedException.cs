// The exception of PileStatus.Poisoned, apart from its base so that it can be caught alone.
// The inner exception is the first failure; every later write gets the same one.
using System;

namespace Pile;

/// <summary>An earlier write to the files failed: what was acknowledged stays readable, writing needs the pile closed and opened again.</summary>
public sealed class PilePoisonedException : PileException
{
    internal PilePoisonedException(string message, string path, Exception cause)
        : base(PileStatus.Poisoned, message, path: path, innerException: cause)
    {
    }
}
