using System;

namespace Pile.Tests.Durability.Model;

/// <summary>The protocol let a promise be broken in the step that was under way.</summary>
internal sealed class BrokenPromiseException(Promise promise, string what) : Exception($"{promise}: {what}")
{
    internal Promise Promise { get; } = promise;
}
