using System;

namespace Pile.Compare.Contestants;

/// <summary>A store that is open.</summary>
/// <typeparam name="TOperations">Its operations.</typeparam>
internal interface IContestant<TOperations> : IDisposable
    where TOperations : struct, IOperations
{
    /// <summary>The operations for the calling thread, which keeps them.</summary>
    TOperations Begin();

    /// <summary>Lets go of all objects; nobody uses the store meanwhile. Operations begun before are void.</summary>
    void Clear();
}
