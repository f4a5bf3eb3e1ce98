using System;

namespace Pile.Tests.Fuzz;

/// <summary>An input did what none may.</summary>
public sealed class FuzzFoundException : Exception
{
    public FuzzFoundException()
    {
    }

    public FuzzFoundException(string message)
        : base(message)
    {
    }

    public FuzzFoundException(string message, Exception inner)
        : base(message, inner)
    {
    }
}
