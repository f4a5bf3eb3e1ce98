// A factory's failure that is remembered for its key.
// The failure itself is what the caller got whose call it was; here is its text.
using System;

namespace Pile.Cache;

/// <summary>A factory had failed for the key, and that is remembered: <see cref="PileFactoryOptions.FailureTimeToLive"/>.</summary>
public sealed class PileFactoryException : Exception
{
    /// <summary>Makes one.</summary>
    /// <param name="message">Which factory failed and how.</param>
    public PileFactoryException(string message)
        : base(message)
    {
    }

    /// <summary>Makes one.</summary>
    /// <param name="message">Which factory failed and how.</param>
    /// <param name="innerException">What it threw.</param>
    public PileFactoryException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Makes one without a message.</summary>
    public PileFactoryException()
    {
    }
}
