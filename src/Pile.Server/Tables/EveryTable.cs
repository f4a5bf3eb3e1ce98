// What is done to all tables of the server: one after the other, each for itself. What fails in one keeps none of the others from it.
// A table that was dropped meanwhile has nothing left that it could be done to, and is no failure.
using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using Grpc.Core;
using Pile.Server.Calls;

namespace Pile.Server.Tables;

/// <summary>Work on one table after the other.</summary>
internal static class EveryTable
{
    /// <summary>Does a work to each table, and tells the first failure when all have had their turn.</summary>
    /// <param name="tables">The tables.</param>
    /// <param name="isServing">Whether the server is not stopping.</param>
    /// <param name="work">The work.</param>
    /// <exception cref="RpcException">It failed in one table at the least: it names the first of them. A failure that no call should meet is thrown as it is.</exception>
    internal static void Do(IEnumerable<ServedTable> tables, bool isServing, Action<ServedTable> work)
    {
        int count = 0;
        int failures = 0;
        (ServedTable Table, Exception Failure)? first = null;
        foreach (ServedTable table in tables)
        {
            count++;
            try
            {
                work(table);
            }
            catch (ObjectDisposedException) when (table.HasEnded)
            {
                // It was dropped meanwhile, with all its entries.
            }
            catch (Exception failure)
            {
                failures++;
                first ??= (table, failure);
            }
        }

        if (first is { } told)
        {
            if (CallFailure.From(told.Failure, isServing) is not { } failure)
            {
                ExceptionDispatchInfo.Throw(told.Failure);
                return;
            }

            V1.ErrorDetail detail = FailureInterceptor.DetailOf(failure);
            throw CallFailure.Of(
                failure.StatusCode,
                (PileStatus)(int)detail.Status,
                $"{failures:N0} of {count:N0} tables failed, and the others are done. The first was '{ShownName.Of(told.Table.Name)}': {detail.Text}",
                (int)detail.RetryAfterMs);
        }
    }
}
