using System;

namespace Pile.Tests.Model;

/// <summary>The pile did something that the model did not. Carries the name of what noticed it.</summary>
internal sealed class ModelMismatchException(string detector, string what, Exception? inner = null)
    : Exception($"[{detector}] {what}", inner)
{
    /// <summary>What noticed: wrong content, another object, verify, quarantine, ...</summary>
    internal string Detector { get; } = detector;

    /// <summary>Throws unless the condition holds.</summary>
    internal static void Unless(bool holds, string detector, string what)
    {
        if (!holds)
        {
            throw new ModelMismatchException(detector, what);
        }
    }
}
