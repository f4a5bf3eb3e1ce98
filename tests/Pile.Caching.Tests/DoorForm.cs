namespace Pile.Caching.Tests;

/// <summary>The four forms in which a distributed cache can be called.</summary>
public enum DoorForm
{
    Sync,
    Async,
    Buffer,
    BufferAsync,
}
